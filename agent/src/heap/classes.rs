//! The classes and their loaders, tagged and told before the walk, so that it meets nothing without a name.

use std::io;

use mayfly_heap::dump::{ClassFacts, FieldFacts, Number};
use mayfly_jvmti::{Class, HeapWalk, Object};

use super::error::HeapError;
use super::teller::Teller;

/// Tells every loaded class, then every loader. Their references end here, so that the walk does not meet them.
pub(super) fn tell_classes<S>(walk: &HeapWalk<'_>, teller: &mut Teller<S>) -> Result<(), HeapError>
where
    S: FnMut(&[u8]) -> io::Result<()>,
{
    walk.with_classes(|classes| {
        for (index, class) in classes.iter().enumerate() {
            walk.set_tag(class.as_object(), index as i64 + 1)?;
        }
        let mut loaders = Loaders { next: classes.len() as i64, found: Vec::new() };
        for class in classes {
            let loader = loaders.number(walk, *class)?;
            tell_class(walk, teller, *class, loader)?;
        }
        for loader in loaders.found {
            teller.tell(|encoder| encoder.object(loader.class, loader.size))?;
        }
        Ok(())
    })?
}

/// The loaders met so far, numbered from behind the classes on.
struct Loaders {
    next: i64,
    found: Vec<Loader>,
}

struct Loader {
    class: Number,
    size: u64,
}

impl Loaders {
    fn number(&mut self, walk: &HeapWalk<'_>, class: Class<'_>) -> Result<Number, HeapError> {
        let Some(loader) = walk.loader(class)? else { return Ok(Number::NONE) };
        let mut tag = walk.tag(loader)?;
        if tag == 0 {
            self.next += 1;
            tag = self.next;
            walk.set_tag(loader, tag)?;
            self.found.push(Loader { class: class_number(walk, loader)?, size: walk.size(loader)? });
        }
        walk.jni().forget(loader);
        Ok(Number(tag as u32))
    }
}

/// The number of the object's class.
pub(super) fn class_number(walk: &HeapWalk<'_>, object: Object<'_>) -> Result<Number, HeapError> {
    let class = walk.jni().class_of(object);
    let number = number(walk, class)?;
    walk.jni().forget(class.as_object());
    Ok(number)
}

fn number(walk: &HeapWalk<'_>, class: Class<'_>) -> Result<Number, HeapError> {
    Ok(Number(walk.tag(class.as_object())? as u32))
}

fn tell_class<S>(
    walk: &HeapWalk<'_>,
    teller: &mut Teller<S>,
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
        interfaces.push(number(walk, interface)?);
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
        superclass: superclass.map_or(Ok(Number::NONE), |class| number(walk, class))?,
        interfaces: &interfaces,
        fields: &fields,
        // Only interfaces and Object have no superclass.
        is_interface: superclass.is_none() && name != "java.lang.Object",
        mirror_size: walk.size(class.as_object())?,
    };
    teller.tell(|encoder| encoder.class(&facts))?;
    if let Some(superclass) = superclass {
        walk.jni().forget(superclass.as_object());
    }
    Ok(())
}
