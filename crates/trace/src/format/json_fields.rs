//! One line of JSON Lines taken apart: which fields it has, each once, with a text or a number.

use super::message::excerpt;
use crate::Namespace;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

macro_rules! fields {
    ($($field:ident $name:literal),* $(,)?) => {
        /// A field of an event.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Field { $($field),* }

        impl Field {
            const ALL: &[Field] = &[$(Field::$field),*];

            pub(super) fn name(self) -> &'static str {
                match self { $(Field::$field => $name),* }
            }

            fn from_name(name: &str) -> Option<Field> {
                match name { $($name => Some(Field::$field),)* _ => None }
            }
        }
    };
}

fields! {
    Thread "thread", Op "op", Var "var", Addr "addr", Size "size", Lock "lock", Cond "cond", Barrier "barrier",
    Chan "chan", Volatile "volatile", Child "child", Order "order", Parties "parties", Capacity "capacity",
    Label "label", Loc "loc",
}

impl Field {
    /// The field in which an operation names a thing; `thread` itself is who does the operation.
    pub(super) fn of(space: Namespace) -> Field {
        match space {
            Namespace::Thread => Field::Child,
            Namespace::Var => Field::Var,
            Namespace::Lock => Field::Lock,
            Namespace::Volatile => Field::Volatile,
            Namespace::Cond => Field::Cond,
            Namespace::Barrier => Field::Barrier,
            Namespace::Chan => Field::Chan,
            Namespace::Label => Field::Label,
            Namespace::Loc => Field::Loc,
        }
    }
}

/// What a field holds.
#[derive(Debug)]
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    Number(u64),
    /// Something that no field holds: what it is.
    Other(&'static str),
}

impl Value<'_> {
    fn describe(&self) -> String {
        match self {
            Value::Text(s) => excerpt(s.as_bytes()),
            Value::Number(n) => n.to_string(),
            Value::Other(what) => (*what).to_owned(),
        }
    }
}

/// The fields of one line; taking one removes it, so that what is left at the end does not belong.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    values: [Option<Value<'a>>; Field::ALL.len()],
}

impl<'a> Fields<'a> {
    pub(super) fn take(&mut self, field: Field) -> Option<Value<'a>> {
        self.values[field as usize].take()
    }

    pub(super) fn has(&self, field: Field) -> bool {
        self.values[field as usize].is_some()
    }

    /// The text in a field that must be there.
    pub(super) fn text(&mut self, field: Field) -> Result<Cow<'a, str>, String> {
        match self.require(field)? {
            Value::Text(s) => Ok(s),
            other => Err(mismatch(field, "a string", &other)),
        }
    }

    /// The number in a field that must be there.
    pub(super) fn number(&mut self, field: Field) -> Result<u64, String> {
        match self.require(field)? {
            Value::Number(n) => Ok(n),
            other => Err(mismatch(field, "a number without sign or fraction", &other)),
        }
    }

    fn require(&mut self, field: Field) -> Result<Value<'a>, String> {
        self.take(field).ok_or_else(|| format!("the field `{}` is missing", field.name()))
    }

    /// Complains about a field that nobody has taken.
    pub(super) fn check_empty(&self, op: &str) -> Result<(), String> {
        match Field::ALL.iter().find(|&&f| self.has(f)) {
            Some(f) => Err(format!("the operation `{op}` has no field `{}`", f.name())),
            None => Ok(()),
        }
    }
}

/// The field holds something else than it should.
pub(super) fn mismatch(field: Field, expected: &str, found: &Value) -> String {
    format!("the field `{}` should be {expected}, found {}", field.name(), found.describe())
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Fields<'de>, D::Error> {
        from.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object such as {\"thread\":\"T1\",\"op\":\"write\",\"var\":\"x\"}")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields<'de>, M::Error> {
        let mut fields = Fields { values: Default::default() };
        while let Some(Key(name)) = map.next_key()? {
            let field = Field::from_name(&name)
                .ok_or_else(|| M::Error::custom(format!("unknown field {}", excerpt(name.as_bytes()))))?;
            if fields.values[field as usize].replace(map.next_value()?).is_some() {
                return Err(M::Error::custom(format!("the field `{}` occurs twice", field.name())));
            }
        }
        Ok(fields)
    }
}

/// A field's name. `Cow` alone would copy even what has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Key<'de>, D::Error> {
        match from.deserialize_str(ValueVisitor)? {
            Value::Text(s) => Ok(Key(s)),
            _ => Err(D::Error::custom("a field's name must be a string")),
        }
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Value<'de>, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

/// Accepts anything, so that a wrong type can be reported with the name of its field.
struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_borrowed_str<E>(self, s: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(s)))
    }

    fn visit_str<E>(self, s: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(s.to_owned())))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Value<'de>, E> {
        Ok(Value::Number(n))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value<'de>, E> {
        Ok(Value::Other("a negative number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value<'de>, E> {
        Ok(Value::Other("a number with a fraction or too many digits"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value<'de>, E> {
        Ok(Value::Other("a truth value"))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Other("null"))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Value<'de>, S::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an array"))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Value<'de>, M::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}
