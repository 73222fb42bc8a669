//! Text made safe inside markup and inside a script element.

use serde::Serialize;
use std::fmt::{self, Write};

/// Text for XML or HTML, between tags or in a quoted attribute.
pub(super) struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// JSON that can stand in a script element: without `<` no text in it can end the element or open a comment.
pub(super) fn script_json(value: &impl Serialize) -> serde_json::Result<String> {
    // Outside its strings JSON has no `<`, so the escape always falls inside one, where it means the same.
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(Escaped("<a b='c'>&\"").to_string(), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;");
    }

    #[test]
    fn script_json_reads_back() {
        let text = "</script><!-- \\u003c";
        let json = script_json(&text).unwrap();
        assert!(!json.contains('<'));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
