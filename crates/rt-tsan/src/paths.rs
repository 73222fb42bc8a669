//! The assembly of the fast paths: for `access`, which compilers call, and for `cold`, which code calls that has the first comparison in itself.

/// Goes to a label if the word in rdx, which is special and foreign, does not tell two accesses, the latest of them of the current epoch and to all of these bytes: changes r8, r9. rcx is not what it was if it goes there.
macro_rules! is_two {
    ($else:literal) => {
        concat!(
            "mov r8d, edx\n",
            "and r8d, {kinds}\n",
            "cmp r8d, {kind}\n",
            "jne ",
            $else,
            "\n",
            "movabs r9, {two_whole}\n",
            "mov r8, rdx\n",
            "or r8, r9\n",
            "sub r8, qword ptr fs:[rcx + {two}]\n",
            "shr r8, {since}\n",
            "jne ",
            $else,
            "\n",
            "mov ecx, edi\n",
            "and ecx, 7\n",
            "mov r8, rdx\n",
            "shr r8, {two_extent}\n",
            "shr r8d, cl\n",
            "not r8d\n",
            "test r8b, {bytes}\n",
            "jne ",
            $else,
            "\n",
        )
    };
}
pub(crate) use is_two;

/// Goes to a label if the thread does not remember to have accessed these bytes ([`deadheat_rt::lately`]); `written` is what else that takes for a write: changes rcx, rdx, r8, r9.
macro_rules! is_remembered {
    ($written:literal, $else:literal) => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "mov r8, rdi\n",
            "shr r8, 3\n",
            "mov r9, r8\n",
            "shr r9, {fold}\n",
            "xor r9d, r8d\n",
            "shl r8, 8\n",
            $written,
            "and r9d, {room} - 1\n",
            "or r8, qword ptr fs:[rcx + {turn}]\n",
            "mov rdx, qword ptr fs:[rcx + {lately}]\n",
            "xor r8, qword ptr [rdx + 8*r9]\n",
            "mov rdx, r8\n",
            "shr rdx, 8\n",
            "jne ",
            $else,
            "\n",
            "mov rdx, qword ptr [rip + {changes}]\n",
            "cmp rdx, qword ptr fs:[rcx + {forgotten}]\n",
            "jne ",
            $else,
            "\n",
            "mov ecx, edi\n",
            "and ecx, 7\n",
            "shr r8d, cl\n",
            "not r8d\n",
            "test r8b, {bytes}\n",
            "jne ",
            $else,
            "\n",
        )
    };
}
pub(crate) use is_remembered;

/// The assembly of a read of the address in rdi: changes rax, rcx, rdx, r8, r9.
/// `done` is what to do if nothing is left to check; otherwise `rest` if W and R hold an access each at most, with the cell in rax; and `special` if they do not. Of `whole` granules no other bytes need be asked for.
///
/// What happens most lies behind each other: branches that are taken push those of the program out of what the processor remembers of them.
macro_rules! read_path {
    ($done:literal $rest:literal $special:literal $size:ident) => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "lea rax, [rdi + rdi]\n",
            "and rax, qword ptr fs:[rcx + {mask}]\n",
            "xor rax, qword ptr fs:[rcx + {base}]\n",
            "mov rdx, qword ptr [rax + {r}]\n",
            "mov r8, rdx\n",
            "sub r8, qword ptr fs:[rcx + {epoch}]\n",
            "shr r8, {clock}\n",
            "jne 2f\n",
            $done,
            "\n",
            // A set of reads at hand.
            "2: bt rdx, {special}\n",
            "jnc 27f\n",
            "mov r8, qword ptr fs:[rcx + {seen}]\n",
            "movzx r9d, dl\n",
            "cmp rdx, qword ptr [r8 + 8*r9]\n",
            "jne 26f\n",
            $done,
            "\n",
            "27: mov r8, qword ptr [rax + {w}]\n",
            "mov r9, r8\n",
            "sub r9, qword ptr fs:[rcx + {epoch}]\n",
            "shr r9, {clock}\n",
            "jne 6f\n",
            $done,
            "\n",
            "6: bt r8, {special}\n",
            read_path!(plain $size),
            "5: ",
            $rest,
            "\n",
            "28: mov rdx, qword ptr [rax + {w}]\n",
            "3: shr rdx, {extent}\n",
            "25: mov ecx, edi\n",
            "and ecx, 7\n",
            "shr edx, cl\n",
            "not edx\n",
            "test dl, {bytes}\n",
            "jne 31f\n",
            $done,
            "\n",
            // R is special: another set, two accesses.
            "26: bt rdx, {foreign}\n",
            read_path!(seen $size),
            is_two!("24f"),
            $done,
            "\n",
            "24: mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "22: mov r8, qword ptr [rax + {w}]\n",
            "movabs r9, {whole}\n",
            "or r8, r9\n",
            "sub r8, qword ptr fs:[rcx + {epoch}]\n",
            "shr r8, {clock}\n",
            "je 28b\n",
            "jmp 30f\n",
            // W is special, R is not.
            "29: movabs r9, {whole}\n",
            "or r9, rdx\n",
            "sub r9, qword ptr fs:[rcx + {epoch}]\n",
            "shr r9, {clock}\n",
            "je 3b\n",
            // Neither is plain and of this epoch.
            "30: mov rdx, qword ptr [rax + {w}]\n",
            "bt rdx, {special}\n",
            "jnc 31f\n",
            "bt rdx, {foreign}\n",
            "jnc 32f\n",
            is_two!("32f"),
            $done,
            "\n",
            // Nothing is remembered of granules that tell it themselves.
            "31: mov rdx, qword ptr [rax + {w}]\n",
            "or rdx, qword ptr [rax + {r}]\n",
            "bt rdx, {special}\n",
            "jnc 5b\n",
            "32:\n",
            is_remembered!("", "33f"),
            $done,
            "\n",
            "33: ",
            $special,
            "\n",
        )
    };
    (seen part) => {
        concat!(
            "jc 23f\n",
            "bts rdx, {part}\n",
            "cmp rdx, qword ptr [r8 + 8*r9]\n",
            "jne 22f\n",
            "movzx edx, byte ptr [r8 + r9 + {seen_bytes}]\n",
            "jmp 25b\n",
            "23:\n",
        )
    };
    (seen whole) => {
        "jnc 22f\n"
    };
    (plain part) => {
        concat!(
            "jc 29f\n",
            // The extent of either may be less.
            "movabs r9, {whole}\n",
            "or r8, r9\n",
            "or r9, rdx\n",
            "sub r8, qword ptr fs:[rcx + {epoch}]\n",
            "sub r9, qword ptr fs:[rcx + {epoch}]\n",
            "shr r9, {clock}\n",
            "je 3f\n",
            "shr r8, {clock}\n",
            "je 28f\n",
        )
    };
    (plain whole) => {
        "jc 29f\n"
    };
}
pub(crate) use read_path;

/// The assembly of a write to the address in rdi: changes rax, rcx, rdx, r8, r9.
/// The rest is as for `read_path`.
macro_rules! write_path {
    ($done:literal $rest:literal $special:literal $size:ident) => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "lea rax, [rdi + rdi]\n",
            "and rax, qword ptr fs:[rcx + {mask}]\n",
            "xor rax, qword ptr fs:[rcx + {base}]\n",
            "mov rdx, qword ptr [rax + {w}]\n",
            "mov r8, rdx\n",
            "sub r8, qword ptr fs:[rcx + {epoch}]\n",
            "shr r8, {clock}\n",
            "jne 2f\n",
            $done,
            "\n",
            "2: bt rdx, {special}\n",
            "jc 4f\n",
            write_path!(plain $size),
            "34: bt qword ptr [rax + {r}], {special}\n",
            "jc 32f\n",
            "5: ",
            $rest,
            "\n",
            write_path!(bytes $size $done),
            "4: bt rdx, {foreign}\n",
            "jnc 32f\n",
            is_two!("32f"),
            $done,
            "\n",
            "32:\n",
            is_remembered!("bts r8, {written}\nxor r9d, {written_place}\n", "33f"),
            $done,
            "\n",
            "33: ",
            $special,
            "\n",
        )
    };
    (plain part) => {
        concat!(
            "movabs r8, {whole}\n",
            "or r8, rdx\n",
            "sub r8, qword ptr fs:[rcx + {epoch}]\n",
            "shr r8, {clock}\n",
            "je 35f\n",
        )
    };
    (plain whole) => {
        ""
    };
    (bytes part $done:literal) => {
        concat!(
            "35: mov ecx, edi\n",
            "and ecx, 7\n",
            "shr rdx, {extent}\n",
            "shr edx, cl\n",
            "not edx\n",
            "test dl, {bytes}\n",
            "jne 34b\n",
            $done,
            "\n",
        )
    };
    (bytes whole $done:literal) => {
        ""
    };
}
pub(crate) use write_path;

/// The assembly of a read of 16 bytes at the address in rdi: changes rax, rcx, rdx, rsi, r8, r9.
/// `done` is what to do if nothing is left to check; otherwise it ends behind the last line.
macro_rules! read16_path {
    ($done:literal) => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "lea rax, [rdi + rdi]\n",
            "and rax, qword ptr fs:[rcx + {mask}]\n",
            "xor rax, qword ptr fs:[rcx + {base}]\n",
            "mov rdx, qword ptr [rax + {r}]\n",
            "mov rsi, qword ptr [rax + {r} + 16]\n",
            "mov r9, rdx\n",
            "mov r8, rsi\n",
            "sub r9, qword ptr fs:[rcx + {epoch}]\n",
            "sub r8, qword ptr fs:[rcx + {epoch}]\n",
            "or r9, r8\n",
            "shr r9, {clock}\n",
            "jne 2f\n",
            "test edi, 7\n",
            "jne 3f\n",
            $done,
            "\n",
            "2: test edi, 7\n",
            "jne 3f\n",
            "mov r8, qword ptr [rax + {w}]\n",
            "mov r9, qword ptr [rax + {w} + 16]\n",
            "sub r8, qword ptr fs:[rcx + {epoch}]\n",
            "sub r9, qword ptr fs:[rcx + {epoch}]\n",
            "or r8, r9\n",
            "shr r8, {clock}\n",
            "jne 4f\n",
            $done,
            "\n",
            "4: cmp rdx, rsi\n",
            "jne 3f\n",
            "mov r8, qword ptr fs:[rcx + {seen}]\n",
            "movzx eax, dl\n",
            "cmp rdx, qword ptr [r8 + 8*rax]\n",
            "jne 3f\n",
            $done,
            "\n",
            "3:\n",
        )
    };
}
pub(crate) use read16_path;

/// The assembly of a write of 16 bytes to the address in rdi: changes rax, rcx, rdx.
/// `done` is what to do if nothing is left to check; otherwise it ends behind the last line.
macro_rules! write16_path {
    ($done:literal) => {
        concat!(
            "mov rcx, qword ptr [rip + __deadheat_own_tls@GOTTPOFF]\n",
            "lea rax, [rdi + rdi]\n",
            "and rax, qword ptr fs:[rcx + {mask}]\n",
            "xor rax, qword ptr fs:[rcx + {base}]\n",
            "mov rdx, qword ptr [rax + {w}]\n",
            "mov rax, qword ptr [rax + {w} + 16]\n",
            "sub rdx, qword ptr fs:[rcx + {epoch}]\n",
            "sub rax, qword ptr fs:[rcx + {epoch}]\n",
            "or rax, rdx\n",
            "shr rax, {clock}\n",
            "jne 2f\n",
            "test edi, 7\n",
            "jne 2f\n",
            $done,
            "\n",
            "2:\n",
        )
    };
}
pub(crate) use write16_path;
