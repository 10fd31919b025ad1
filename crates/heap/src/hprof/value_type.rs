//! Types of values: of fields, constants, and elements of arrays.

/// A type of values: of fields, constants, and elements of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    Object,
    Boolean,
    Char,
    Float,
    Double,
    Byte,
    Short,
    Int,
    Long,
}

impl ValueType {
    /// By its number in hprof; those of primitive types are the JVM's (`newarray`, JVMS §6.5).
    pub(crate) fn of(number: u8) -> Option<Self> {
        Some(match number {
            2 => Self::Object,
            4 => Self::Boolean,
            5 => Self::Char,
            6 => Self::Float,
            7 => Self::Double,
            8 => Self::Byte,
            9 => Self::Short,
            10 => Self::Int,
            11 => Self::Long,
            _ => return None,
        })
    }

    /// Bytes of a value in the file.
    #[inline]
    pub(crate) fn width(self, id_size: usize) -> usize {
        match self {
            Self::Object => id_size,
            Self::Boolean | Self::Byte => 1,
            Self::Char | Self::Short => 2,
            Self::Float | Self::Int => 4,
            Self::Double | Self::Long => 8,
        }
    }

    /// `Class.getName()` of an array of these; of objects there are many.
    pub(crate) fn array_name(self) -> &'static str {
        match self {
            Self::Object => "[Ljava.lang.Object;",
            Self::Boolean => "[Z",
            Self::Char => "[C",
            Self::Float => "[F",
            Self::Double => "[D",
            Self::Byte => "[B",
            Self::Short => "[S",
            Self::Int => "[I",
            Self::Long => "[J",
        }
    }
}
