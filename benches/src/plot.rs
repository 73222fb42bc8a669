//! Line charts as SVG.

use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A line: its name and its points.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// Draws lines over logarithmic axes.
pub fn lines(path: &Path, title: &str, x: &str, y: &str, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (900, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let bounds = |f: fn(&(f64, f64)) -> f64| {
        let all = || lines.iter().flat_map(|l| l.points.iter().map(f));
        (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
    };
    let ((x_lo, x_hi), (y_lo, y_hi)) = (bounds(|p| p.0), bounds(|p| p.1));
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 22))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((x_lo..x_hi).log_scale(), (y_lo * 0.7..y_hi * 1.4).log_scale())?;
    chart.configure_mesh().x_desc(x).y_desc(y).light_line_style(WHITE).draw()?;
    for (i, line) in lines.iter().enumerate() {
        let colour = Palette99::pick(i).to_rgba();
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)).point_size(3))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    let position = SeriesLabelPosition::UpperLeft;
    chart.configure_series_labels().position(position).background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}
