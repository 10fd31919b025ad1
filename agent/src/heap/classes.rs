//! The classes and their loaders, tagged and told before the walk, so that it meets nothing without a name.

use std::io;

use mayfly_heap::dump::{ClassFacts, DIRECT_BUFFER, FieldFacts, Number};
use mayfly_jvmti::{Class, HeapWalk, Object};

use super::error::HeapError;
use super::walk_encoder::WalkEncoder;

/// Tells every loaded class, then every loader. Their references end here, so that the walk does not meet them.
pub(super) fn encode_classes<S>(walk: &HeapWalk<'_>, encoder: &mut WalkEncoder<S>) -> Result<(), HeapError>
where
    S: FnMut(&[u8]) -> io::Result<()>,
{
    walk.with_classes(|classes| {
        for (index, class) in classes.iter().enumerate() {
            tag(walk, encoder, class.as_object(), Number(index as u32 + 1))?;
        }
        let mut loaders = Loaders { next: classes.len() as u32, found: Vec::new() };
        for class in classes {
            let loader = loaders.number(walk, encoder, *class)?;
            encode_class(walk, encoder, *class, loader)?;
        }
        for loader in loaders.found {
            encoder.encode(|encoder| {
                loader.identity.inspect(|&identity| encoder.identity(identity));
                encoder.object(loader.class, loader.size)
            })?;
        }
        Ok(())
    })?
}

/// Gives an object that is told under a number its tag.
fn tag<S>(
    walk: &HeapWalk<'_>,
    encoder: &mut WalkEncoder<S>,
    object: Object<'_>,
    number: Number,
) -> Result<(), HeapError> {
    let had = walk.tag(object)?;
    let tag = encoder.identities.tag(had, number);
    if tag != had {
        walk.set_tag(object, tag)?;
    }
    Ok(())
}

/// The loaders met so far, numbered from behind the classes on.
struct Loaders {
    next: u32,
    found: Vec<Loader>,
}

struct Loader {
    class: Number,
    size: u64,
    identity: Option<u64>,
}

impl Loaders {
    fn number<S>(
        &mut self,
        walk: &HeapWalk<'_>,
        encoder: &mut WalkEncoder<S>,
        class: Class<'_>,
    ) -> Result<Number, HeapError> {
        let Some(loader) = walk.loader(class)? else { return Ok(Number::NONE) };
        let mut number = encoder.identities.number(walk.tag(loader)?);
        if number == Number::NONE {
            self.next += 1;
            number = Number(self.next);
            tag(walk, encoder, loader, number)?;
            let identity = encoder.identities.identity(walk.tag(loader)?);
            let class = class_number(walk, encoder, loader)?;
            self.found.push(Loader { class, size: walk.size(loader)?, identity });
        }
        walk.jni().forget(loader);
        Ok(number)
    }
}

/// The number of the object's class.
pub(super) fn class_number<S>(
    walk: &HeapWalk<'_>,
    encoder: &WalkEncoder<S>,
    object: Object<'_>,
) -> Result<Number, HeapError> {
    let class = walk.jni().class_of(object);
    let number = number(walk, encoder, class)?;
    walk.jni().forget(class.as_object());
    Ok(number)
}

fn number<S>(walk: &HeapWalk<'_>, encoder: &WalkEncoder<S>, class: Class<'_>) -> Result<Number, HeapError> {
    Ok(encoder.identities.number(walk.tag(class.as_object())?))
}

fn encode_class<S>(
    walk: &HeapWalk<'_>,
    encoder: &mut WalkEncoder<S>,
    class: Class<'_>,
    loader: Number,
) -> Result<(), HeapError>
where
    S: FnMut(&[u8]) -> io::Result<()>,
{
    let name = walk.class_name(class)?;
    let superclass = walk.superclass(class);
    let mut interfaces = Vec::new();
    for interface in walk.interfaces(class)? {
        interfaces.push(number(walk, encoder, interface)?);
        walk.jni().forget(interface.as_object());
    }
    let fields = walk.fields(class)?;
    let fields: Vec<_> = fields
        .iter()
        .map(|field| FieldFacts {
            name: &field.name,
            descriptor: &field.descriptor,
            is_static: field.is_static(),
        })
        .collect();
    let facts = ClassFacts {
        name: &name,
        loader,
        superclass: superclass.map_or(Ok(Number::NONE), |class| number(walk, encoder, class))?,
        interfaces: &interfaces,
        fields: &fields,
        // Only interfaces and Object have no superclass.
        is_interface: superclass.is_none() && name != "java.lang.Object",
        mirror_size: walk.size(class.as_object())?,
    };
    let identity = encoder.identities.identity(walk.tag(class.as_object())?);
    let number = encoder.encode(|encoder| {
        identity.inspect(|&identity| encoder.identity(identity));
        encoder.class(&facts)
    })?;
    if name == DIRECT_BUFFER && loader == Number::NONE {
        encoder.buffer_class = number;
    }
    if let Some(superclass) = superclass {
        walk.jni().forget(superclass.as_object());
    }
    Ok(())
}
