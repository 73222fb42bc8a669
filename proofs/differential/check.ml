(* Reads traces with the verdicts of the Rust detectors, runs the detectors extracted from the proofs, and compares: see src/main.rs. *)
open Oracle

let digit line i = Char.code line.[i] - Char.code '0'

(* The operations, as traces without and with channels; exits are in the first only. *)
type op_of = { plain : op option; chan : cop option }

let parse_op line i =
  let t = digit line (i + 1) and x = digit line (i + 2) in
  match line.[i] with
  | 'r' -> ({ plain = Some (Rd (t, x)); chan = Some (CRd (t, x)) }, i + 3)
  | 'w' -> ({ plain = Some (Wr (t, x)); chan = Some (CWr (t, x)) }, i + 3)
  | 'a' -> ({ plain = Some (Acq (t, x)); chan = Some (CAcq (t, x)) }, i + 3)
  | 'l' -> ({ plain = Some (Rel (t, x)); chan = Some (CRel (t, x)) }, i + 3)
  | 'f' -> ({ plain = Some (Fork (t, x)); chan = Some (CFork (t, x)) }, i + 3)
  | 'j' -> ({ plain = Some (Join (t, x)); chan = Some (CJoin (t, x)) }, i + 3)
  | 'e' -> ({ plain = Some (Exit t); chan = None }, i + 3)
  | 's' -> ({ plain = None; chan = Some (CSend (t, x)) }, i + 3)
  | 'v' -> ({ plain = None; chan = Some (CRecv (t, x)) }, i + 3)
  | 'c' -> ({ plain = None; chan = Some (CClose (t, x)) }, i + 3)
  | 'z' -> ({ plain = None; chan = Some (CRecvClosed (t, x)) }, i + 3)
  | 'm' -> ({ plain = None; chan = Some (CRend (t, x, digit line (i + 3))) }, i + 4)
  | c -> failwith (Printf.sprintf "no such operation: %c" c)

let parse_ops text =
  let rec go i acc = if i >= String.length text then List.rev acc else let op, i = parse_op text i in go i (op :: acc) in
  go 0 []

let show first = String.concat "," (List.map (function None -> "-" | Some i -> string_of_int i) (Array.to_list first))

(* The first race of each variable, by a detector over vector clocks. *)
let by_clocks step init vars ops =
  let first = Array.make vars None in
  let one (state, i) op =
    let state, flagged = step state op in
    (match op with Rd (_, x) | Wr (_, x) when flagged && first.(x) = None -> first.(x) <- Some i | _ -> ());
    (state, i + 1) in
  ignore (List.fold_left one (init, 0) ops);
  show first

(* The same by a detector over happens-before sets; [after] is called after every event. *)
let by_sets step init flagged after vars ops =
  let first = Array.make vars None in
  let one (state, i) op =
    let state = match op.chan with Some c -> step i state c | None -> state in
    (match op.chan with Some (CRd (_, x) | CWr (_, x)) when first.(x) = None && flagged state x -> first.(x) <- Some i | _ -> ());
    (after i state, i + 1) in
  ignore (List.fold_left one (init, 0) ops);
  show first

let keep _ state = state

let check line counts =
  match String.split_on_char '|' line with
  | [] -> failwith "an empty line"
  | trace :: verdicts ->
      let caps, every, text = match String.split_on_char ' ' trace with
        | [ c; e; t ] -> (c, int_of_string e, t) | _ -> failwith ("no such line: " ^ line) in
      let ops = parse_ops text in
      let cap c = if c < String.length caps then digit caps c else 0 in
      let vars = 3 in
      let chans = List.filter_map (fun o -> o.chan) ops in
      let plain = if caps = "" then Some (List.filter_map (fun o -> o.plain) ops) else None in
      if not (cfeasibleb cap chans) then failwith ("not feasible by the proofs' definition: " ^ line);
      (match plain with Some p when not (feasibleb p) -> failwith ("not feasible by the proofs' definition: " ^ line) | _ -> ());
      let collect_some i state = if (i + 1) mod every = 0 then collect state else state in
      let all = lazy (by_sets all_races_step (all_races_init cap) all_races_flagged keep vars ops) in
      let clocks step init = match plain with Some p -> by_clocks step init vars p | None -> Lazy.force all in
      (* Where the trace has channels, vector clocks must give the answer of the sets: both are the races (ChannelDetector.v). *)
      let expected = function
        | "vector-clock" -> clocks vector_clock_step vector_clock_init
        | "multi-join" -> clocks multi_join_step multi_join_init
        | "fasttrack" -> clocks fasttrack_step fasttrack_init
        | "verifiedft" -> clocks verifiedft_step verifiedft_init
        | "online-v1" | "online-v1.5" | "online-v2" -> clocks online_step online_init
        | "hb-sets-after-write" -> by_sets after_write_step (after_write_init cap) after_write_flagged keep vars ops
        | "hb-sets" -> Lazy.force all
        | "hb-sets-gc" -> by_sets collected_step (collected_init cap) collected_flagged collect_some vars ops
        | name -> failwith ("no such detector: " ^ name) in
      let compare verdict =
        match String.index_opt verdict '=' with
        | None -> failwith ("no such verdict: " ^ verdict)
        | Some i ->
            let name = String.sub verdict 0 i and said = String.sub verdict (i + 1) (String.length verdict - i - 1) in
            let rec pad s n = if n = 0 then s else pad (s ^ ",-") (n - 1) in
            let said = pad said (vars - List.length (String.split_on_char ',' said)) in
            let expected = expected name in
            if said <> expected then
              failwith (Printf.sprintf "%s says %s and the proofs say %s:\n%s" name said expected line) in
      List.iter compare verdicts;
      let traces, racy, channels = counts in
      (traces + 1, (if String.contains (Lazy.force all) '-' && Lazy.force all = "-,-,-" then racy else racy + 1),
       if caps = "" then channels else channels + 1)

let () =
  let rec go counts = match input_line stdin with
    | line -> go (check line counts)
    | exception End_of_file -> counts in
  match go (0, 0, 0) with
  | traces, racy, channels ->
      Printf.printf "%d traces, of which %d race and %d have channels: the Rust detectors and the proved ones agree\n" traces racy channels
  | exception Failure why -> prerr_endline why; exit 1
