//! Servers under a bounded load on the loopback interface: start, wait until it answers, load, stop, account.

use super::memcached;
use super::run::spawn;
use crate::measure::{End, Usage, wait};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that is stopped at the end, whatever happens.
struct Server {
    child: Child,
    address: SocketAddrV4,
    started: Instant,
    limit: Duration,
    waited: bool,
}

impl Server {
    /// Starts it and waits until it takes connections.
    fn start(command: &mut Command, address: SocketAddrV4, limit: Duration) -> io::Result<Server> {
        let child = spawn(command)?;
        let mut server = Server { child, address, started: Instant::now(), limit, waited: false };
        loop {
            if server.connect().is_ok() {
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                server.waited = true;
                return Err(io::Error::other(format!("the server ended at once with {status}")));
            }
            if server.started.elapsed() > limit {
                return Err(io::Error::other("the server does not answer"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&self.address.into(), Duration::from_secs(5))?;
        stream.set_read_timeout(Some(self.limit))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Waits for its end, which was asked for.
    fn end(mut self) -> io::Result<(End, Usage)> {
        self.waited = true;
        wait(&mut self.child, self.started, self.limit)
    }

    /// Asks it to stop, as a user's shell would.
    fn interrupt(&self) {
        // SAFETY: the child has not been waited for, so the number is still its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGINT) };
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.waited {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A port of the loopback interface that nobody uses.
fn free_address() -> io::Result<SocketAddrV4> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    Ok(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))
}

/// memcached with four workers under our own clients.
pub fn memcached(command: &mut Command, batches: usize, limit: Duration) -> io::Result<(End, Usage, String)> {
    let address = free_address()?;
    command.args(["-l", "127.0.0.1", "-U", "0", "-t", "4", "-m", "64", "-p"]).arg(address.port().to_string());
    // SAFETY: geteuid(2) cannot fail and touches no memory.
    if unsafe { libc::geteuid() } == 0 {
        command.args(["-u", "root"]);
    }
    let server = Server::start(command, address, limit)?;
    let output = memcached::load(|| server.connect(), batches)?;
    server.interrupt();
    let (end, usage) = server.end()?;
    Ok((end, usage, output))
}

/// redis with I/O threads under its own redis-benchmark, which always is the native one.
///
/// redis's threads wait by spinning: with more of them than processors it would measure little else.
pub fn redis(
    command: &mut Command,
    load: &Path,
    requests: u32,
    limit: Duration,
) -> io::Result<(End, Usage, String)> {
    const KINDS: &str = "set,get,incr,lpush,rpush,sadd,hset,zadd,mset";
    let address = free_address()?;
    let port = address.port().to_string();
    command.args(["--bind", "127.0.0.1", "--port", &port, "--save", "", "--appendonly", "no"]);
    let threads = std::thread::available_parallelism()?.get().clamp(2, 4).to_string();
    command.args(["--io-threads", &threads, "--io-threads-do-reads", "yes"]);
    let server = Server::start(command, address, limit)?;
    let mut load = Command::new(load)
        .args(["-h", "127.0.0.1", "-p", &port, "-q", "-c", "32", "-P", "16", "-t", KINDS])
        .args(["-n", &requests.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let (end, _) = wait(&mut load, Instant::now(), limit)?;
    if end != End::Status(0) {
        return Err(io::Error::other(format!("redis-benchmark ended with {end:?}")));
    }
    let mut client = BufReader::new(server.connect()?);
    let mut output = String::new();
    for question in ["DBSIZE", "GET counter:__rand_int__", "LLEN mylist", "SCARD myset"] {
        output += &format!("{question}: {}\n", ask(&mut client, question)?);
    }
    client.get_mut().write_all(b"SHUTDOWN NOSAVE\r\n")?;
    let (end, usage) = server.end()?;
    Ok((end, usage, output))
}

/// One inline command; the answer, for a string its second line.
fn ask(client: &mut BufReader<TcpStream>, question: &str) -> io::Result<String> {
    client.get_mut().write_all(format!("{question}\r\n").as_bytes())?;
    let mut line = String::new();
    client.read_line(&mut line)?;
    if line.starts_with('$') && !line.starts_with("$-") {
        line.clear();
        client.read_line(&mut line)?;
    }
    Ok(line.trim_end().to_string())
}
