//! Bars of ratios per program and tool as SVG.

use super::table::{Quantity, Results};
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Colours of the tools, in the order of the tables without native.
const COLOURS: [(&str, RGBColor); 9] = [
    ("clang-tsan", RGBColor(110, 110, 110)),
    ("gcc-tsan", RGBColor(170, 170, 170)),
    ("helgrind", RGBColor(210, 190, 150)),
    ("drd", RGBColor(180, 150, 100)),
    ("v1", RGBColor(170, 205, 235)),
    ("v1.5", RGBColor(105, 160, 210)),
    ("v2", RGBColor(200, 30, 45)),
    ("ft-mutex", RGBColor(130, 190, 130)),
    ("ft-cas", RGBColor(60, 140, 80)),
];

/// Draws a group of bars for each program and one for the geometric means, on a logarithmic scale.
pub fn bars(path: &Path, title: &str, results: &Results, quantity: Quantity) -> Result<(), Box<dyn Error>> {
    let tools: Vec<_> = COLOURS.into_iter().filter(|(tool, _)| results.tools.contains(tool)).collect();
    let groups: Vec<&str> = results.programs.iter().copied().chain(["geomean"]).collect();
    let value = |group: &str, tool: &'static str| match results.programs.iter().find(|p| **p == group) {
        Some(program) => results.cells.get(&(*program, tool)).map(|cell| cell.ratio(quantity)),
        None => results.mean(tool, quantity),
    };
    let largest = results.cells.values().map(|cell| cell.ratio(quantity)).fold(2.0, f64::max);

    // To the right there is room for the legend.
    let root = SVGBackend::new(path, (1500, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 24))
        .margin(20)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..groups.len() as f64 * 1.09, (0.5..largest * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_desc("times native")
        .y_label_formatter(&|n| format!("{n}x"))
        .label_style(("sans-serif", 15))
        .axis_desc_style(("sans-serif", 17))
        .light_line_style(WHITE)
        .draw()?;
    let width = 0.84 / tools.len() as f64;
    for (i, (tool, colour)) in tools.iter().enumerate() {
        let bar = |(g, group): (usize, &&str)| {
            let left = g as f64 + 0.08 + i as f64 * width;
            Some(Rectangle::new([(left, 0.5), (left + width * 0.92, value(group, tool)?)], colour.filled()))
        };
        chart
            .draw_series(groups.iter().enumerate().filter_map(bar))?
            .label(*tool)
            .legend(|(x, y)| Rectangle::new([(x, y - 6), (x + 14, y + 6)], colour.filled()));
    }
    let names = groups.iter().enumerate().map(|(g, group)| {
        let style = ("sans-serif", 14).into_font().into_text_style(&root);
        let (x, y) = chart.backend_coord(&(g as f64 + 0.5, 0.5));
        (
            group.to_string(),
            style.pos(plotters::style::text_anchor::Pos::new(
                plotters::style::text_anchor::HPos::Center,
                plotters::style::text_anchor::VPos::Top,
            )),
            (x, y + 10),
        )
    });
    for (name, style, at) in names.collect::<Vec<_>>() {
        root.draw_text(&name, &style, at)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .margin(8)
        .label_font(("sans-serif", 15))
        .background_style(WHITE.mix(0.8))
        .draw()?;
    root.present()?;
    Ok(())
}
