//! A load for memcached: four clients that set, get and delete keys of their own, and check every answer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;

const CLIENTS: usize = 4;
/// Keys of each client, and how many of them one batch touches.
const KEYS: usize = 256;
const BATCH: usize = 16;

/// Runs that many batches in each client; says what was found, which depends on nothing but the number.
pub fn load(connect: impl Fn() -> io::Result<TcpStream> + Sync, batches: usize) -> io::Result<String> {
    let found: io::Result<Vec<usize>> = thread::scope(|scope| {
        let connect = &connect;
        let client =
            |id| move || Client { id, stream: BufReader::new(connect()?), held: [None; KEYS] }.run(batches);
        let clients: Vec<_> = (0..CLIENTS).map(|id| scope.spawn(client(id))).collect();
        clients
            .into_iter()
            .map(|c| c.join().unwrap_or_else(|_| Err(io::Error::other("a client died"))))
            .collect()
    });
    Ok(format!("hits {:?}", found?))
}

struct Client {
    id: usize,
    stream: BufReader<TcpStream>,
    /// For each key the round in which it was last set, unless it was deleted since.
    held: [Option<usize>; KEYS],
}

impl Client {
    fn run(mut self, batches: usize) -> io::Result<usize> {
        let mut hits = 0;
        for round in 0..batches {
            let first = round * 7;
            let keys: [usize; BATCH] = std::array::from_fn(|i| (first + i * 5) % KEYS);
            self.set(round, &keys)?;
            if round % 3 == 0 {
                self.delete(keys[round % BATCH])?;
            }
            // Another offset, so that some keys were never set and some were deleted.
            hits += self.get(&keys.map(|key| (key + round) % KEYS))?;
        }
        Ok(hits)
    }

    fn value(&self, key: usize, round: usize) -> Vec<u8> {
        let letter = b'a' + ((key + round) % 26) as u8;
        vec![letter; 16 + (key * 31 + round * 17) % 400]
    }

    fn set(&mut self, round: usize, keys: &[usize]) -> io::Result<()> {
        let mut request = Vec::new();
        for &key in keys {
            let value = self.value(key, round);
            request.extend(format!("set c{}k{key} 0 0 {}\r\n", self.id, value.len()).as_bytes());
            request.extend(value);
            request.extend(b"\r\n");
            self.held[key] = Some(round);
        }
        self.stream.get_mut().write_all(&request)?;
        keys.iter().try_for_each(|_| self.expect("STORED"))
    }

    fn delete(&mut self, key: usize) -> io::Result<()> {
        let request = format!("delete c{}k{key}\r\n", self.id);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let answer = if self.held[key].take().is_some() { "DELETED" } else { "NOT_FOUND" };
        self.expect(answer)
    }

    /// Gets those keys and counts those that are there.
    fn get(&mut self, keys: &[usize]) -> io::Result<usize> {
        let names: String = keys.iter().map(|key| format!(" c{}k{key}", self.id)).collect();
        self.stream.get_mut().write_all(format!("get{names}\r\n").as_bytes())?;
        let mut hits = 0;
        for &key in keys {
            let Some(round) = self.held[key] else { continue };
            let value = self.value(key, round);
            self.expect(&format!("VALUE c{}k{key} 0 {}", self.id, value.len()))?;
            let mut answer = vec![0; value.len() + 2];
            self.stream.read_exact(&mut answer)?;
            if answer[..value.len()] != value {
                return Err(io::Error::other("memcached gave a wrong value"));
            }
            hits += 1;
        }
        self.expect("END")?;
        Ok(hits)
    }

    fn expect(&mut self, answer: &str) -> io::Result<()> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        if line.trim_end() == answer {
            return Ok(());
        }
        Err(io::Error::other(format!("memcached answered {:?} instead of {answer:?}", line.trim_end())))
    }
}
