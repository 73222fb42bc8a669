//! Types, as far as sizes of objects and places of their fields need them: x86-64's and AArch64's rules, which agree on all of this.

use super::lex::Cursor;
use hashbrown::HashMap;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type<'a> {
    /// An integer of so many bits.
    Int(u32),
    /// `half`, `float`, `double` and their like: size and alignment in bytes.
    Float(u64),
    /// A pointer.
    Ptr,
    /// An array or a vector.
    Many(u64, Box<Type<'a>>, Packing),
    /// A structure.
    Struct(Vec<Type<'a>>, Packing),
    /// A structure with a name.
    Named(&'a str),
    /// Something without a size that is known here.
    Other,
}

/// How the parts of a type lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Each at its own alignment.
    Aligned,
    /// Without gaps: packed structures; vectors too, bit by bit.
    Packed,
}

/// The structures of a module by name.
pub type Types<'a> = HashMap<&'a str, Type<'a>, foldhash::fast::FixedState>;

/// How deep types may nest: hostile input is not followed further.
const DEPTH: u32 = 64;

/// Takes a type from the cursor.
pub fn parse<'a>(cursor: &mut Cursor<'a>) -> Option<Type<'a>> {
    at_depth(cursor, DEPTH)
}

fn at_depth<'a>(cursor: &mut Cursor<'a>, depth: u32) -> Option<Type<'a>> {
    let depth = depth.checked_sub(1)?;
    let token = cursor.next();
    let mut found = match token {
        "ptr" => Type::Ptr,
        "half" | "bfloat" => Type::Float(2),
        "float" => Type::Float(4),
        "double" => Type::Float(8),
        "x86_fp80" | "fp128" | "ppc_fp128" => Type::Float(16),
        "void" | "label" | "metadata" | "token" | "opaque" | "x86_mmx" | "x86_amx" => Type::Other,
        "[" => many(cursor, "]", Packing::Aligned, depth)?,
        "<" if cursor.peek() == "{" => {
            cursor.next();
            let fields = fields(cursor, depth)?;
            cursor.eat(">").then_some(Type::Struct(fields, Packing::Packed))?
        }
        "<" => many(cursor, ">", Packing::Packed, depth)?,
        "{" => Type::Struct(fields(cursor, depth)?, Packing::Aligned),
        "target" => {
            cursor.bracketed()?;
            Type::Other
        }
        _ if token.starts_with('%') => Type::Named(token),
        _ => Type::Int(token.strip_prefix('i')?.parse().ok().filter(|bits| (1..=1 << 23).contains(bits))?),
    };
    loop {
        match cursor.peek() {
            "*" => {
                cursor.next();
                found = Type::Ptr;
            }
            "addrspace" => {
                cursor.next();
                cursor.bracketed()?;
            }
            // A function's type, behind a pointer.
            "(" => {
                cursor.bracketed()?;
                found = Type::Other;
            }
            _ => return Some(found),
        }
    }
}

fn many<'a>(cursor: &mut Cursor<'a>, end: &str, packing: Packing, depth: u32) -> Option<Type<'a>> {
    if cursor.eat("vscale") {
        return None;
    }
    let count = cursor.next().parse().ok()?;
    let of = cursor.eat("x").then(|| at_depth(cursor, depth))??;
    cursor.eat(end).then(|| Type::Many(count, Box::new(of), packing))
}

fn fields<'a>(cursor: &mut Cursor<'a>, depth: u32) -> Option<Vec<Type<'a>>> {
    let mut fields = Vec::new();
    while !cursor.eat("}") {
        if !fields.is_empty() && !cursor.eat(",") {
            return None;
        }
        fields.push(at_depth(cursor, depth)?);
    }
    Some(fields)
}

impl<'a> Type<'a> {
    /// How far apart elements of this type lie in an array.
    pub fn stride(&self, types: &Types<'a>) -> Option<u64> {
        Some(self.layout(types, DEPTH)?.0)
    }

    /// Size, rounded up to the alignment, and alignment.
    fn layout(&self, types: &Types<'a>, depth: u32) -> Option<(u64, u64)> {
        let depth = depth.checked_sub(1)?;
        match self {
            Type::Int(bits) => {
                let size = u64::from(*bits).div_ceil(8);
                // __int128 is aligned to 8 before LLVM 18 and to 16 from there on: not needed, and not guessed.
                (size <= 8).then(|| (size.next_power_of_two(), size.next_power_of_two()))
            }
            Type::Float(size) => Some((*size, *size)),
            Type::Ptr => Some((8, 8)),
            Type::Many(count, of, Packing::Aligned) => {
                let (size, align) = of.layout(types, depth)?;
                Some((size.checked_mul(*count)?, align))
            }
            Type::Many(count, of, Packing::Packed) => {
                let element = match **of {
                    Type::Int(bits) if bits.is_multiple_of(8) => u64::from(bits / 8),
                    Type::Float(size) if size <= 8 => size,
                    Type::Ptr => 8,
                    _ => return None,
                };
                let size = element.checked_mul(*count)?.next_power_of_two();
                Some((size, size))
            }
            Type::Struct(..) => self.end(types, usize::MAX, depth),
            Type::Named(name) => types.get(name)?.layout(types, depth),
            Type::Other => None,
        }
    }

    /// Where the field with that number begins, and its type.
    pub fn field(&self, types: &Types<'a>, number: usize) -> Option<(u64, Type<'a>)> {
        match self {
            Type::Named(name) => {
                types.get(name).filter(|t| !matches!(t, Type::Named(_)))?.field(types, number)
            }
            Type::Struct(fields, packing) => {
                let of = fields.get(number)?;
                let (end, _) = self.parts(types, number, *packing, DEPTH)?;
                let (_, align) = of.layout(types, DEPTH)?;
                let at = if *packing == Packing::Packed { end } else { end.next_multiple_of(align) };
                Some((at, of.clone()))
            }
            _ => None,
        }
    }

    /// The type of an array's elements.
    pub fn element(&self) -> Option<&Type<'a>> {
        match self {
            Type::Many(_, of, _) => Some(of),
            _ => None,
        }
    }

    fn end(&self, types: &Types<'a>, count: usize, depth: u32) -> Option<(u64, u64)> {
        let Type::Struct(_, packing) = self else { return None };
        let (end, align) = self.parts(types, count, *packing, depth)?;
        Some(if *packing == Packing::Packed { (end, 1) } else { (end.next_multiple_of(align), align) })
    }

    /// Where the first `count` fields end, without what pads the whole, and the largest alignment of them.
    fn parts(&self, types: &Types<'a>, count: usize, packing: Packing, depth: u32) -> Option<(u64, u64)> {
        let Type::Struct(fields, _) = self else { return None };
        fields.iter().take(count).try_fold((0u64, 1), |(end, most), field| {
            let (size, align) = field.layout(types, depth)?;
            let start = if packing == Packing::Packed { end } else { end.checked_next_multiple_of(align)? };
            Some((start.checked_add(size)?, most.max(align)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Type<'_> {
        parse(&mut Cursor::new(text)).unwrap_or_else(|| panic!("{text} is a type"))
    }

    #[test]
    fn sizes_and_fields() {
        let mut types = Types::default();
        types.insert("%s", of("{ i8, i32, [3 x i16], ptr }"));
        let size = |text: &'static str| of(text).stride(&types);
        assert_eq!(size("%s"), Some(24));
        assert_eq!(size("<{ i8, i32 }>"), Some(5));
        assert_eq!(size("[4 x %s]"), Some(96));
        assert_eq!(size("<4 x float>"), Some(16));
        assert_eq!(size("i1"), Some(1));
        assert_eq!(size("void (i32)*"), Some(8));
        assert_eq!(size("i128"), None);
        assert_eq!(of("%s").field(&types, 3), Some((16, Type::Ptr)));
        assert_eq!(of("%s").field(&types, 2).map(|f| f.0), Some(8));
        assert_eq!(of("%s").field(&types, 4), None);
    }

    #[test]
    fn what_names_itself_has_no_size() {
        let mut types = Types::default();
        types.insert("%a", of("{ %a }"));
        types.insert("%b", of("%b"));
        assert_eq!(of("%a").stride(&types), None);
        assert_eq!(of("%b").stride(&types), None);
        assert_eq!(of("%b").field(&types, 0), None);
    }
}
