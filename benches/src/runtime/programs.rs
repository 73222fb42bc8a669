//! The programs that are measured: ports of the papers' programs, and real ones from Debian's source packages.

/// Threads of every program that can be told how many.
pub const THREADS: usize = 4;

/// How large a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// What is measured: about 0.3 s of processor time without a tool.
    Full,
    /// For tools that take fifty times as long: a third of that or less.
    Small,
    /// A fraction of a second under every tool, to see that it works.
    Quick,
}

/// A number for each scale.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    full: u32,
    small: u32,
    quick: u32,
}

impl Sizes {
    pub fn at(self, scale: Scale) -> u32 {
        match scale {
            Scale::Full => self.full,
            Scale::Small => self.small,
            Scale::Quick => self.quick,
        }
    }
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One file of C in `benches/programs`, called with the number of threads and a size; prints a checksum.
    Port(Sizes),
    /// Packs from its input to its output; the sizes are KiB of input.
    Packer { pack: &'static [&'static str], unpack: &'static [&'static str], kib: Sizes },
    /// Called as a port is, and with an empty folder to work in.
    InFolder(Sizes),
    /// memcached under our own client; the sizes are batches of each connection.
    Memcached(Sizes),
    /// redis under redis-benchmark; the sizes are requests of each kind, in whole pipelines of 16.
    Redis(Sizes),
}

/// A program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub name: &'static str,
    pub kind: Kind,
    /// The Debian source packages that it is built from; none for a port.
    pub packages: &'static [&'static str],
}

const fn port(name: &'static str, full: u32, small: u32, quick: u32) -> Program {
    Program { name, kind: Kind::Port(Sizes { full, small, quick }), packages: &[] }
}

const fn packer(
    name: &'static str,
    packages: &'static [&'static str],
    pack: &'static [&'static str],
    unpack: &'static [&'static str],
) -> Program {
    // Large enough for every thread to get several blocks.
    let kib = Sizes { full: 8 << 10, small: 2 << 10, quick: 1 << 10 };
    Program { name, kind: Kind::Packer { pack, unpack, kib }, packages }
}

/// All of them, in the order of the tables.
pub const PROGRAMS: [Program; 18] = [
    port("crypt", 16_000_000, 3_000_000, 300_000),
    port("lufact", 1000, 400, 200),
    port("moldyn", 8, 6, 4),
    port("montecarlo", 10_000, 2_000, 500),
    port("raytracer", 600, 150, 60),
    port("series", 7_000, 1_000, 200),
    port("sor", 1500, 500, 150),
    port("sparse", 100_000, 20_000, 3_000),
    port("tsp", 14, 13, 11),
    port("elevator", 400_000, 50_000, 10_000),
    port("philo", 60_000, 10_000, 2_000),
    packer("pigz", &["pigz", "zlib"], &["-p4", "-c"], &["-d", "-c"]),
    packer("pbzip2", &["pbzip2", "bzip2"], &["-p4", "-b2", "-c"], &["-d", "-c"]),
    packer("zstd", &["libzstd"], &["-T4", "-9", "-B512K", "-q", "-c"], &["-d", "-q", "-c"]),
    packer("xz", &["xz-utils"], &["-T4", "-1", "--block-size=1MiB", "-c"], &["-d", "-c"]),
    Program {
        name: "memcached",
        kind: Kind::Memcached(Sizes { full: 1500, small: 400, quick: 50 }),
        packages: &["memcached", "libevent"],
    },
    Program {
        name: "redis",
        kind: Kind::Redis(Sizes { full: 16_000, small: 8_000, quick: 1_600 }),
        packages: &["redis"],
    },
    Program {
        name: "leveldb",
        kind: Kind::InFolder(Sizes { full: 40_000, small: 10_000, quick: 2_000 }),
        packages: &["leveldb"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_program_has_its_file() {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        for program in PROGRAMS {
            let file = match program.kind {
                Kind::Port(_) => programs.join(format!("{}.c", program.name)),
                _ => programs.join("real").join(format!("{}.sh", program.name)),
            };
            assert!(file.exists(), "{}", file.display());
            assert_eq!(matches!(program.kind, Kind::Port(_)), program.packages.is_empty());
        }
    }
}
