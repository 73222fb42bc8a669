//! Findings as one page that needs nothing else: no script, no other file, no network.
//!
//! The two sides of a race stand next to each other. Where the caller can read the source, each side shows the lines around the
//! access. Everything that comes from a program is escaped.

use crate::tell::{Told, background, headline, name, parties, short_memory};
use crate::words::{base_name, printable, strip_prefix};
use crate::{Finding, Frame, suppressions};
use alloc::format;
use alloc::string::String;
use core::fmt::{Result, Write};

/// How many lines of source are shown before and after the line.
const AROUND: usize = 3;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--faint:#777;--hot:#d33;--soft:#8881}\
body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:0 auto;padding:1.5rem}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:0}h3{font-size:.95rem;margin:.2rem 0 .5rem}\
article{border:1px solid var(--line);border-left:4px solid var(--hot);border-radius:6px;padding:1rem;margin:1.2rem 0}\
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}\
section{min-width:0}pre,ol,code{font:13px/1.45 ui-monospace,monospace}\
pre{overflow-x:auto;background:var(--soft);padding:.5rem 0;border-radius:4px}\
pre span{display:block;padding:0 .6rem}pre .hit{background:#d332;font-weight:600}pre i{color:var(--faint);font-style:normal}\
ol{padding-left:2rem;overflow-wrap:anywhere}li small,.faint{color:var(--faint)}\
details{margin-top:.8rem}summary{cursor:pointer}";

/// Writes the page. `source` reads a source file, `None` if it cannot; `strip_path_prefix` shortens what is shown.
pub fn write_page(
    out: &mut dyn Write,
    findings: &[Finding],
    strip_path_prefix: &str,
    source: &mut dyn FnMut(&str) -> Option<String>,
) -> Result {
    let title = match findings.len() {
        0 => "Deadheat found nothing".into(),
        1 => "Deadheat: 1 finding".into(),
        n => format!("Deadheat: {n} findings"),
    };
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width\">")?;
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")?;
    writeln!(out, "<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>")?;
    let mut page = Page { out, prefix: strip_path_prefix, source };
    for (nth, finding) in findings.iter().enumerate() {
        page.finding(nth + 1, finding)?;
    }
    writeln!(page.out, "</html>")
}

struct Page<'a> {
    out: &'a mut dyn Write,
    prefix: &'a str,
    source: &'a mut dyn FnMut(&str) -> Option<String>,
}

impl Page<'_> {
    fn finding(&mut self, nth: usize, finding: &Finding) -> Result {
        writeln!(self.out, "<article id=\"finding-{nth}\">")?;
        writeln!(self.out, "<h2>{nth}. {}</h2>", escape(&headline(finding)))?;
        if !finding.why.is_empty() {
            writeln!(self.out, "<p>{}</p>", escape(&finding.why))?;
        }
        self.memory(finding)?;
        writeln!(self.out, "<div class=\"sides\">")?;
        for told in parties(finding) {
            self.side(&told)?;
        }
        writeln!(self.out, "</div>")?;
        let background = background(finding);
        if !background.is_empty() {
            writeln!(self.out, "<details><summary>Where it comes from</summary><div class=\"sides\">")?;
            for told in &background {
                self.stack(told)?;
                writeln!(self.out, "</section>")?;
            }
            writeln!(self.out, "</div></details>")?;
        }
        self.hints(finding)?;
        writeln!(self.out, "</article>")
    }

    fn memory(&mut self, finding: &Finding) -> Result {
        let (Some(access), Some(memory)) = (finding.accesses.first(), short_memory(&finding.memory)) else {
            return Ok(());
        };
        writeln!(self.out, "<p class=\"faint\">{} is {}.</p>", access.addr, escape(&memory))
    }

    /// A stack with the source around its innermost line.
    fn side(&mut self, told: &Told<'_>) -> Result {
        self.stack(told)?;
        if let Some(frame) = told.stack.source() {
            self.excerpt(frame)?;
        }
        writeln!(self.out, "</section>")
    }

    /// The start of a section: what the stack is and its frames.
    fn stack(&mut self, told: &Told<'_>) -> Result {
        writeln!(self.out, "<section><h3>{}</h3>", escape(&told.what))?;
        if told.stack.is_empty() {
            return writeln!(self.out, "<p class=\"faint\">The stack is not known.</p>");
        }
        writeln!(self.out, "<ol start=\"0\">")?;
        for frame in &told.stack.0 {
            self.frame(frame)?;
        }
        writeln!(self.out, "</ol>")
    }

    fn frame(&mut self, frame: &Frame) -> Result {
        let function = escape(frame.function.as_deref().unwrap_or("?"));
        write!(self.out, "<li>{function}")?;
        if let Some(file) = &frame.file {
            write!(self.out, " {}", escape(strip_prefix(file, self.prefix)))?;
            if let Some(line) = frame.line {
                write!(self.out, ":{line}")?;
            }
        }
        if frame.inlined {
            write!(self.out, " <small>inlined</small>")?;
        }
        if let Some(module) = &frame.module {
            let module = escape(base_name(module));
            write!(self.out, " <small>{module}+{:#x}</small>", frame.offset_in_module.0)?;
        }
        writeln!(self.out, "</li>")
    }

    fn excerpt(&mut self, frame: &Frame) -> Result {
        let (Some(file), Some(line)) = (&frame.file, frame.line) else { return Ok(()) };
        let Some(text) = (self.source)(file) else { return Ok(()) };
        let line = line as usize;
        let first = line.saturating_sub(AROUND).max(1);
        if text.lines().nth(line.saturating_sub(1)).is_none() {
            return Ok(());
        }
        write!(self.out, "<pre>")?;
        for (number, code) in (1..).zip(text.lines()).skip(first - 1).take(line + AROUND + 1 - first) {
            let class = if number == line { " class=\"hit\"" } else { "" };
            write!(
                self.out,
                "<span{class}><i>{number:>5}</i>  {}</span>",
                escape(&code.replace('\t', "    "))
            )?;
        }
        writeln!(self.out, "</pre>")
    }

    fn hints(&mut self, finding: &Finding) -> Result {
        writeln!(self.out, "<details><summary>What to do about it</summary>")?;
        let kind = finding.kind;
        writeln!(self.out, "<p><b>{}.</b> {}</p>", escape(name(kind)), escape(kind.explanation()))?;
        if let Some(line) = suppressions::suppression_for(finding) {
            let line = escape(&line);
            writeln!(
                self.out,
                "<p>To hide it, put this line into a suppressions file: <code>{line}</code></p>"
            )?;
        }
        writeln!(self.out, "</details>")
    }
}

/// Text within an element or a quoted attribute.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{destroy, inversion, race};
    use expect_test::expect;

    fn page(findings: &[Finding]) -> String {
        let mut source = |file: &str| {
            let lines = (1..=31).map(|n| format!("int line_{n} = a < b;\n"));
            file.ends_with("bank.c").then(|| lines.collect())
        };
        let mut out = String::new();
        write_page(&mut out, findings, "/home/ann/", &mut source).unwrap();
        out
    }

    #[test]
    fn a_race() {
        let page = page(&[race()]);
        let article = &page[page.find("<article").unwrap()..];
        expect![[r#"
            <article id="finding-1">
            <h2>1. Data race on &#39;balance&#39;: the main thread reads in main (bank.c:30), thread T1 writes in store(int*) (bank.c:11).</h2>
            <p>Nothing orders thread T1&#39;s write before the main thread&#39;s read: the main thread has not joined thread T1, nor acquired anything that it released since. Only thread T1 held a mutex (M0).</p>
            <p class="faint">0x555556a68af0 is &#39;balance&#39;.</p>
            <div class="sides">
            <section><h3>Read of 4 bytes at 0x555556a68af0 by the main thread</h3>
            <ol start="0">
            <li>main src/bank.c:30 <small>bank+0x101e</small></li>
            </ol>
            <pre><span><i>   27</i>  int line_27 = a &lt; b;</span><span><i>   28</i>  int line_28 = a &lt; b;</span><span><i>   29</i>  int line_29 = a &lt; b;</span><span class="hit"><i>   30</i>  int line_30 = a &lt; b;</span><span><i>   31</i>  int line_31 = a &lt; b;</span></pre>
            </section>
            <section><h3>Earlier: write of 4 bytes at 0x555556a68af0 by thread T1, holding M0</h3>
            <ol start="0">
            <li>store(int*) src/bank.c:11 <small>inlined</small> <small>bank+0x100b</small></li>
            <li>deposit src/bank.c:12 <small>bank+0x100c</small></li>
            <li>? <small>libc.so.6+0x27249</small></li>
            </ol>
            <pre><span><i>    8</i>  int line_8 = a &lt; b;</span><span><i>    9</i>  int line_9 = a &lt; b;</span><span><i>   10</i>  int line_10 = a &lt; b;</span><span class="hit"><i>   11</i>  int line_11 = a &lt; b;</span><span><i>   12</i>  int line_12 = a &lt; b;</span><span><i>   13</i>  int line_13 = a &lt; b;</span><span><i>   14</i>  int line_14 = a &lt; b;</span></pre>
            </section>
            </div>
            <details><summary>Where it comes from</summary><div class="sides">
            <section><h3>Mutex M0 (0x555556a68b38) created</h3>
            <ol start="0">
            <li>pthread_mutex_init <small>libc.so.6+0x27249</small></li>
            <li>main src/bank.c:20 <small>bank+0x1014</small></li>
            </ol>
            </section>
            <section><h3>Thread T1 &#39;teller&#39; created by the main thread</h3>
            <ol start="0">
            <li>pthread_create <small>libc.so.6+0x27249</small></li>
            <li>main src/bank.c:27 <small>bank+0x101b</small></li>
            </ol>
            </section>
            </div></details>
            <details><summary>What to do about it</summary>
            <p><b>Data race.</b> Two threads access the same memory, at least one writes, and nothing orders them: in C and C++ the behaviour is undefined. Hold one mutex around both accesses, make both atomic, or let one thread wait for the other.</p>
            <p>To hide it, put this line into a suppressions file: <code>race_top:^store(int*)$</code></p>
            </details>
            </article>
            </html>
        "#]].assert_eq(article);
    }

    #[test]
    fn nothing_but_text_comes_from_the_program() {
        let evil = "<script>alert('\"&')</script>\u{202e}";
        let mut finding = race();
        finding.why = evil.into();
        finding.threads[0].name = evil.into();
        for access in &mut finding.accesses {
            for frame in &mut access.stack.0 {
                frame.function = Some(evil.into());
                frame.file = Some(evil.into());
                frame.module = Some(evil.into());
            }
        }
        let mut out = String::new();
        write_page(&mut out, &[finding], "", &mut |_| Some(evil.repeat(40) + &"\n<b>".repeat(40))).unwrap();
        assert!(!out.contains("<script") && !out.contains("\u{202e}") && !out.contains("<b>&"));
    }

    #[test]
    fn tags_are_closed_and_nothing_is_fetched() {
        let page = page(&[race(), inversion(), destroy()]);
        for tag in ["article", "section", "div", "details", "ol", "li", "pre", "h2", "h3", "span"] {
            let opened =
                page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        for fetched in ["src=", "href=", "url(", "@import"] {
            assert!(!page.contains(fetched), "{fetched}");
        }
        let mut nothing = String::new();
        write_page(&mut nothing, &[], "", &mut |_| None).unwrap();
        assert!(nothing.contains("<h1>Deadheat found nothing</h1>"));
    }
}
