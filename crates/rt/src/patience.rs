//! How long a thread waits for a mutex before it goes to sleep: about twice as long as it took lately, and hardly at all where that was in vain.

/// What it took lately.
pub struct Patience {
    usual: u32,
}

impl Patience {
    /// So many rounds are always worth it.
    const LEAST: u32 = 16;
    /// A few microseconds: what it takes to sleep and to be woken.
    const MOST: u32 = 256;

    pub(crate) const fn new() -> Patience {
        Patience { usual: Patience::LEAST }
    }

    /// So many rounds at most, this time.
    pub fn rounds(&self) -> u32 {
        (Patience::LEAST + 2 * self.usual).min(Patience::MOST)
    }

    /// It took so many rounds.
    pub fn paid(&mut self, rounds: u32) {
        self.usual = (3 * self.usual + rounds).div_ceil(4);
    }

    /// All rounds went by.
    pub fn was_in_vain(&mut self, _: u32) {
        self.usual /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lasts_as_long_as_it_pays() {
        let mut patience = Patience::new();
        (0..50).for_each(|_| patience.paid(patience.rounds()));
        assert_eq!(patience.rounds(), Patience::MOST);
        (0..10).for_each(|_| patience.was_in_vain(0));
        assert_eq!(patience.rounds(), Patience::LEAST);
        (0..50).for_each(|_| patience.paid(10));
        assert_eq!(patience.rounds(), Patience::LEAST + 20);
    }
}
