//! Line charts as SVG.

use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A line: its name and its points.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// Draws lines over powers of two.
pub fn lines(path: &Path, title: &str, x: &str, y: &str, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (900, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let points = || lines.iter().flat_map(|l| &l.points);
    let x_max = points().map(|p| p.0.log2()).fold(0.0, f64::max);
    let x_min = points().map(|p| p.0.log2()).fold(x_max, f64::min);
    let y_max = points().map(|p| p.1).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 24))
        .margin(20)
        .margin_right(40)
        .x_label_area_size(56)
        .y_label_area_size(72)
        .build_cartesian_2d(x_min..x_max, 0.0..y_max * 1.1)?;
    chart
        .configure_mesh()
        .x_desc(x)
        .y_desc(y)
        .x_labels((x_max - x_min) as usize + 1)
        .x_label_formatter(&|log| format!("{:.0}", log.exp2()))
        .y_label_formatter(&|n| format!("{n:.0}"))
        .label_style(("sans-serif", 15))
        .axis_desc_style(("sans-serif", 17))
        .light_line_style(WHITE)
        .draw()?;
    for (line, colour) in
        lines.iter().zip([RGBColor(200, 30, 45), RGBColor(40, 110, 180), RGBColor(120, 120, 120)])
    {
        let points = line.points.iter().map(|&(x, y)| (x.log2(), y));
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(3)).point_size(4))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .margin(16)
        .legend_area_size(36)
        .label_font(("sans-serif", 16))
        .background_style(WHITE)
        .draw()?;
    root.present()?;
    Ok(())
}
