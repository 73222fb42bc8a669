//! The arguments of functions that take any number of them.

/// `va_list` on this machine.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Arguments {
    general: u32,
    floating: u32,
    overflow: *const u8,
    registers: *const u8,
}

const GENERAL_END: u32 = 48;
const FLOATING_END: u32 = 176;

impl Arguments {
    /// Those behind the first `fixed` of a call: in the registers as saved by [`save_arguments!`](crate::save_arguments), and on the stack.
    pub fn behind(fixed: u32, saved: *const [u64; 6], stack: *const u8) -> Arguments {
        Arguments {
            general: 8 * fixed,
            floating: GENERAL_END,
            overflow: stack,
            registers: saved as *const u8,
        }
    }

    /// The next of those that are passed in general registers.
    ///
    /// # Safety
    /// The program has passed one more.
    pub unsafe fn word(&mut self) -> u64 {
        // SAFETY: the caller's promise: the program has passed one more.
        unsafe {
            if self.general < GENERAL_END {
                self.general += 8;
                return (self.registers.add(self.general as usize - 8) as *const u64).read();
            }
            self.overflow = self.overflow.add(8);
            (self.overflow.sub(8) as *const u64).read()
        }
    }

    /// The one of that number, from one, if all are passed in general registers.
    ///
    /// # Safety
    /// The program has passed so many.
    pub unsafe fn nth(mut self, number: u32) -> u64 {
        // SAFETY: the caller's promise.
        (1..number).for_each(|_| unsafe { self.pass() });
        // SAFETY: the caller's promise.
        unsafe { self.word() }
    }

    /// Passes over one of those.
    ///
    /// # Safety
    /// As for `word`.
    pub unsafe fn pass(&mut self) {
        // SAFETY: the caller's promise.
        let _: u64 = unsafe { self.word() };
    }

    /// Passes over a `double`.
    pub fn skip_double(&mut self) {
        if self.floating < FLOATING_END {
            self.floating += 16;
        } else {
            self.overflow = self.overflow.wrapping_add(8);
        }
    }

    /// Passes over a `long double`.
    pub fn skip_long_double(&mut self) {
        self.overflow = (self.overflow as usize).next_multiple_of(16) as *const u8;
        self.overflow = self.overflow.wrapping_add(16);
    }
}

/// Notes where the program called from, and saves the argument registers as the C library's own functions would, in the lower part of a frame of 200 bytes;
/// the first two arguments of what is called next are where they are saved, and where the arguments on the stack begin.
#[macro_export]
macro_rules! save_arguments {
    () => {
        concat!(
            "mov r10, qword ptr [rsp]\n",
            "mov r11, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "mov qword ptr fs:[r11 + {caller}], r10\n",
            "sub rsp, 200\n",
            "mov qword ptr [rsp + 184], rax\n",
            "mov qword ptr [rsp + 0], rdi\n",
            "mov qword ptr [rsp + 8], rsi\n",
            "mov qword ptr [rsp + 16], rdx\n",
            "mov qword ptr [rsp + 24], rcx\n",
            "mov qword ptr [rsp + 32], r8\n",
            "mov qword ptr [rsp + 40], r9\n",
            "movaps xmmword ptr [rsp + 48], xmm0\n",
            "movaps xmmword ptr [rsp + 64], xmm1\n",
            "movaps xmmword ptr [rsp + 80], xmm2\n",
            "movaps xmmword ptr [rsp + 96], xmm3\n",
            "movaps xmmword ptr [rsp + 112], xmm4\n",
            "movaps xmmword ptr [rsp + 128], xmm5\n",
            "movaps xmmword ptr [rsp + 144], xmm6\n",
            "movaps xmmword ptr [rsp + 160], xmm7\n",
            "mov rdi, rsp\n",
            "lea rsi, [rsp + 208]\n",
        )
    };
}

/// Puts the registers back as they were, and gives the frame up.
#[macro_export]
macro_rules! restore_arguments {
    () => {
        concat!(
            "mov rax, qword ptr [rsp + 184]\n",
            "mov rdi, qword ptr [rsp + 0]\n",
            "mov rsi, qword ptr [rsp + 8]\n",
            "mov rdx, qword ptr [rsp + 16]\n",
            "mov rcx, qword ptr [rsp + 24]\n",
            "mov r8, qword ptr [rsp + 32]\n",
            "mov r9, qword ptr [rsp + 40]\n",
            "movaps xmm0, xmmword ptr [rsp + 48]\n",
            "movaps xmm1, xmmword ptr [rsp + 64]\n",
            "movaps xmm2, xmmword ptr [rsp + 80]\n",
            "movaps xmm3, xmmword ptr [rsp + 96]\n",
            "movaps xmm4, xmmword ptr [rsp + 112]\n",
            "movaps xmm5, xmmword ptr [rsp + 128]\n",
            "movaps xmm6, xmmword ptr [rsp + 144]\n",
            "movaps xmm7, xmmword ptr [rsp + 160]\n",
            "add rsp, 200\n",
        )
    };
}
