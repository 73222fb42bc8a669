(** A run of the handlers that takes every one of their steps: the theorems are about something. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors OnlineRules Handlers.

(** States are chains of updates; what is looked up in them is computed, or each step would copy all of them. *)
Local Arguments upd {A} f k v k' /.

(** Goes on in [H], a run so far, by that step. *)
Ltac premise := first [reflexivity | lia | discriminate].
Tactic Notation "go" hyp(H) uconstr(s) := eapply (gr_step V2 2) in H; [|eapply s; premise]; cbn in H.
Tactic Notation "back" hyp(H) constr(t) := go H (G_Return V2 2 _ t).
Tactic Notation "call" hyp(H) constr(t) constr(w) constr(x) := go H (G_Access V2 2 _ t w x).
Tactic Notation "acc" hyp(H) constr(t) constr(w) constr(x) uconstr(s) :=
  eapply (gr_step V2 2) in H; [|eapply (G_Step V2 2 _ t w x); [premise|eapply s; premise]]; cbn in H.
(** From where the handler locks the variable. *)
Tactic Notation "locked" hyp(H) constr(t) constr(w) constr(x) :=
  acc H t w x A_Lock; acc H t w x A_LoadR; acc H t w x A_StoreR; acc H t w x A_Unlock; back H t.
(** All N = 2 entries of a clock. *)
Tactic Notation "entries" hyp(H) uconstr(s) := go H s; go H s.

Definition first_only (t : tid) : bool := t =? 0.

Theorem handlers_every_step :
  exists g h, greach V2 2 first_only g h /\
  filter (fun e => match e with HLin _ _ => true | _ => false end) h =
    [HLin (Wr 0 0) true; HLin (Wr 0 0) true; HLin (Rd 0 0) true; HLin (Rd 0 0) true; HLin (Acq 0 0) true; HLin (Rel 0 0) true;
     HLin (Fork 0 1) true; HLin (Rd 0 0) true; HLin (Rd 1 0) true; HLin (Rd 1 0) true; HLin (Wr 1 0) false; HLin (Exit 1) true;
     HLin (Join 0 1) true].
Proof.
  pose proof (gr_init V2 2 first_only) as H.
  (* a write that replaces both words, and one of the same epoch *)
  call H 0 true 0. acc H 0 true 0 A_Look.
  acc H 0 true 0 A_Exclusive.
  acc H 0 true 0 A_Replace. back H 0.
  call H 0 true 0. acc H 0 true 0 A_WriteSameEpoch. back H 0.
  (* a read that somebody else might have been faster than, and one of the same epoch *)
  call H 0 false 0. acc H 0 false 0 A_Look.
  acc H 0 false 0 A_Exclusive.
  acc H 0 false 0 A_ReplaceFails. locked H 0 false 0.
  call H 0 false 0. acc H 0 false 0 A_Look.
  acc H 0 false 0 A_ReadSameEpoch. back H 0.
  (* a lock, and a second thread *)
  go H (G_Acq V2 2 _ 0 0).
  entries H (G_AcqEntry V2 2 _ 0 0). go H (G_AcqDone V2 2 _ 0 0). back H 0.
  go H (G_Rel V2 2 _ 0 0).
  entries H (G_RelEntry V2 2 _ 0 0). go H (G_RelDone V2 2 _ 0 0). go H (G_RelUnlock V2 2 _ 0 0). back H 0.
  go H (G_Fork V2 2 _ 0 1).
  entries H (G_ForkEntry V2 2 _ 0 1). go H (G_ForkDone V2 2 _ 0 1). back H 0.
  (* both read, one again; its write is a race *)
  call H 0 false 0. acc H 0 false 0 A_GoLock. locked H 0 false 0.
  call H 1 false 0. acc H 1 false 0 A_Look. acc H 1 false 0 A_Miss. locked H 1 false 0.
  call H 1 false 0. acc H 1 false 0 A_Look.
  acc H 1 false 0 A_ReadSharedSameEpoch. back H 1.
  call H 1 true 0. acc H 1 true 0 A_GoLock. locked H 1 true 0.
  (* the second thread ends *)
  go H (G_Exit V2 2 _ 1).
  go H (G_Join V2 2 _ 0 1).
  entries H (G_JoinEntry V2 2 _ 0 1). go H (G_JoinDone V2 2 _ 0 1). back H 0.
  eexists; eexists; split; [exact H|vm_compute; reflexivity].
Qed.
