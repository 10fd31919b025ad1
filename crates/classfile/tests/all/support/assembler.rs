//! Class files put together byte by byte.

/// Builds a class `Made extends java.lang.Object`.
pub(crate) struct ClassBuilder {
    major: u16,
    pool: Vec<u8>,
    count: u16,
    this_class: u16,
    super_class: u16,
    methods: Vec<Vec<u8>>,
}

/// A Code attribute to be.
#[derive(Clone, Default)]
pub(crate) struct CodeParts {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) code: Vec<u8>,
    /// Start, end, handler, catch type.
    pub(crate) exceptions: Vec<[u16; 4]>,
    /// Name and content.
    pub(crate) attributes: Vec<(&'static str, Vec<u8>)>,
}

impl ClassBuilder {
    pub(crate) fn new(major: u16) -> Self {
        let mut builder = ClassBuilder {
            major,
            pool: Vec::new(),
            count: 1,
            this_class: 0,
            super_class: 0,
            methods: Vec::new(),
        };
        builder.this_class = builder.class("Made");
        builder.super_class = builder.class("java/lang/Object");
        builder
    }

    pub(crate) fn named(major: u16, name: &str) -> Self {
        let mut builder = ClassBuilder::new(major);
        builder.this_class = builder.class(name);
        builder
    }

    pub(crate) fn with_super(major: u16, name: &str, super_name: &str) -> Self {
        let mut builder = ClassBuilder::named(major, name);
        builder.super_class = builder.class(super_name);
        builder
    }

    pub(crate) fn constant(&mut self, bytes: &[u8]) -> u16 {
        self.pool.extend_from_slice(bytes);
        self.count += 1;
        self.count - 1
    }

    pub(crate) fn utf8(&mut self, text: &str) -> u16 {
        let mut bytes = vec![1];
        bytes.extend_from_slice(&(text.len() as u16).to_be_bytes());
        bytes.extend_from_slice(text.as_bytes());
        self.constant(&bytes)
    }

    pub(crate) fn class(&mut self, name: &str) -> u16 {
        let [high, low] = self.utf8(name).to_be_bytes();
        self.constant(&[7, high, low])
    }

    pub(crate) fn method_ref(&mut self, owner: &str, name: &str, descriptor: &str) -> u16 {
        let [a, b] = self.utf8(name).to_be_bytes();
        let [c, d] = self.utf8(descriptor).to_be_bytes();
        let [e, f] = self.constant(&[12, a, b, c, d]).to_be_bytes();
        let [a, b] = self.class(owner).to_be_bytes();
        self.constant(&[10, a, b, e, f])
    }

    /// Gives the last method one more attribute.
    pub(crate) fn attribute(&mut self, name: &str, content: &[u8]) {
        let name = self.utf8(name);
        let method = self.methods.last_mut().expect("a method");
        method[7] += 1;
        method.extend(words(&[name]));
        method.extend_from_slice(&(content.len() as u32).to_be_bytes());
        method.extend_from_slice(content);
    }

    /// A public static method.
    pub(crate) fn method(&mut self, name: &str, descriptor: &str, parts: &CodeParts) {
        let mut content = words(&[parts.max_stack, parts.max_locals]);
        content.extend_from_slice(&(parts.code.len() as u32).to_be_bytes());
        content.extend_from_slice(&parts.code);
        content.extend(words(&[parts.exceptions.len() as u16]));
        parts.exceptions.iter().for_each(|entry| content.extend(words(entry)));
        content.extend(words(&[parts.attributes.len() as u16]));
        for (name, attribute) in &parts.attributes {
            content.extend(words(&[self.utf8(name)]));
            content.extend_from_slice(&(attribute.len() as u32).to_be_bytes());
            content.extend_from_slice(attribute);
        }
        let mut method = words(&[0x0009, self.utf8(name), self.utf8(descriptor), 1, self.utf8("Code")]);
        method.extend_from_slice(&(content.len() as u32).to_be_bytes());
        method.extend(content);
        self.methods.push(method);
    }

    pub(crate) fn build(&self) -> Vec<u8> {
        let mut class = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
        class.extend(words(&[0, self.major, self.count]));
        class.extend_from_slice(&self.pool);
        class.extend(words(&[0x0021, self.this_class, self.super_class, 0, 0, self.methods.len() as u16]));
        class.extend(self.methods.iter().flatten());
        class.extend(words(&[0]));
        class
    }
}

/// Big-endian.
pub(crate) fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}
