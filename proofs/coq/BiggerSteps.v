(** The bigger-step semantics of instrumented programs (000, Figure 11), in which an instruction and its instrumentation are one step, and Lemma 3. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Lang Instrument.

Section Bigger.
Variable Z : nat.
Notation ins := (ins Z).
Notation inss := (inss Z).
Notation src := (src Z).

(** m[C[t] := v] and m[L[l] := v], at the offsets that there are. *)
Definition setC (m : mem) (t : tid) (v : nat -> nat) : mem :=
  fun p => match p with MC t' o => if (t' =? t) && (o <? Z) then v o else m p | _ => m p end.
Definition setL (m : mem) (l : lock) (v : nat -> nat) : mem :=
  fun p => match p with ML l' o => if (l' =? l) && (o <? Z) then v o else m p | _ => m p end.
Definition meq (m m' : mem) : Prop := forall p, m p = m' p.

(** ** Figure 11 *)

(** What a rule does to the thread's environment and to memory; [None]: err. That "tmp1 and tmp2 become anything" is [eqU]. *)
Inductive sect (t : tid) (G : env) (m : mem) : instr -> option (env * mem) -> Prop :=
| B_Assign a e G' m' : eqU (setv G a (eval G e)) G' -> meq m m' -> sect t G m (Assign a e) (Some (G', m'))
| B_Load a x G' m' : m (MX x) = 0 -> (forall o, o < Z -> m (MW x o) <= m (MC t o)) ->
    eqU (setv G a (m (Var x))) G' -> meq (setm m (MR x t) (m (MC t t))) m' -> sect t G m (Load a (Var x)) (Some (G', m'))
| B_LoadErr a x : m (MX x) = 0 -> (exists o, o < Z /\ m (MC t o) < m (MW x o)) -> sect t G m (Load a (Var x)) None
| B_Store e x G' m' : m (MX x) = 0 -> (forall o, o < Z -> m (MW x o) <= m (MC t o)) -> (forall o, o < Z -> m (MR x o) <= m (MC t o)) ->
    eqU G G' -> meq (setm (setm m (MW x t) (m (MC t t))) (Var x) (eval G e)) m' -> sect t G m (Store e (Var x)) (Some (G', m'))
| B_StoreErr e x : m (MX x) = 0 -> (exists o, o < Z /\ (m (MC t o) < m (MW x o) \/ m (MC t o) < m (MR x o))) -> sect t G m (Store e (Var x)) None
| B_Lock l G' m' : m (Lk l) = 0 -> eqU G G' ->
    meq (setC (setm m (Lk l) (S t)) t (fun o => Nat.max (m (ML l o)) (m (MC t o)))) m' -> sect t G m (Lock (Lk l)) (Some (G', m'))
| B_Unlock l G' m' : m (Lk l) = S t -> eqU G G' ->
    meq (setm (setm (setL m l (fun o => m (MC t o))) (MC t t) (S (m (MC t t)))) (Lk l) 0) m' -> sect t G m (Unlock (Lk l)) (Some (G', m'))
| B_Spawn u li G' m' : eqU G G' ->
    meq (setm (setC m u (fun o => Nat.max (m (MC t o)) (m (MC u o)))) (MC t t) (S (m (MC t t)))) m' -> sect t G m (Spawn u li) (Some (G', m'))
| B_Wait u G' m' : eqU G G' ->
    meq (setm (setC m t (fun o => Nat.max (m (MC u o)) (m (MC t o)))) (MC u u) (S (m (MC u u)))) m' -> sect t G m (Wait u) (Some (G', m'))
| B_Assert e1 e2 G' m' : eval G e1 <= eval G e2 -> eqU G G' -> meq m m' -> sect t G m (Assert e1 e2) (Some (G', m'))
| B_AssertErr e1 e2 : eval G e2 < eval G e1 -> sect t G m (Assert e1 e2) None.

(** What an instruction needs of the other threads, and what it does to the pool. *)
Definition pool_ok (P : pool) (i : instr) : Prop :=
  match i with Spawn u _ => P u = None | Wait u => exists G', P u = Some ([], G') | _ => True end.
Definition after (P : pool) (t : tid) (i : instr) (li : list instr) (G' : env) : pool :=
  match i with
  | Spawn u li' => upd (upd P t (Some (li, G'))) u (Some (li', G0))
  | _ => upd P t (Some (li, G'))
  end.

(** The bigger steps. A state (P, m) has the program's own code in P and stands for the state (inst P, m) of the instrumented program. *)
Definition inst (P : pool) : pool := fun t => match P t with Some (li, G) => Some (inss t li, G) | None => None end.
Inductive big (t : tid) (P : pool) (m : mem) : outcome -> Prop :=
| big_good i li G G' m' : P t = Some (i :: li, G) -> pool_ok P i -> sect t G m i (Some (G', m')) -> big t P m (Good (after P t i li G') m')
| big_err i li G : P t = Some (i :: li, G) -> sect t G m i None -> big t P m Err.

Inductive bigs (P0 : pool) (m0 : mem) : pool -> mem -> Prop :=
| bigs_nil : bigs P0 m0 P0 m0
| bigs_snoc t P m P' m' : bigs P0 m0 P m -> big t P m (Good P' m') -> bigs P0 m0 P' m'.

(** ** A whole section of one thread on its own does what Figure 11 says, and nothing else *)

Definition apart (t : tid) (i : instr) : Prop := match i with Spawn u _ | Wait u => t <> u | _ => True end.

Lemma run_single t i G m : run t [i] G m = exec t i G m.
Proof. simpl. now destruct (exec t i G m). Qed.

Lemma run_lock_ok t l G m : m (Lk l) = 0 -> exists G' m', run t (ins t (Lock (Lk l))) G m = Ok G' m' /\ eqU G G' /\
  meq (setC (setm m (Lk l) (S t)) t (fun o => Nat.max (m (ML l o)) (m (MC t o)))) m'.
Proof.
  intros H. cbn [Instrument.ins]. rewrite run_app, run_single. cbn [exec]. rewrite H, Nat.eqb_refl.
  destruct (run_merge Z t (ML l) (MC t) G (setm m (Lk l) (S t))) as (G' & m' & -> & Eu & Hin & Hout); try reflexivity; try congruence.
  exists G', m'. split; [reflexivity|]. split; [auto|]. intros p. destruct p as [x|k|v o|k o|x o|x o|x]; try (symmetry; apply Hout; discriminate).
  simpl. destruct (Nat.eqb_spec v t) as [->|Hv]; simpl; [|symmetry; apply Hout; congruence].
  destruct (Nat.ltb_spec o Z); [now rewrite Hin|]. symmetry. apply Hout. intros o' Ho E. injection E as ->. lia.
Qed.

Lemma run_unlock_ok t l G m : m (Lk l) = S t -> exists G' m', run t (ins t (Unlock (Lk l))) G m = Ok G' m' /\ eqU G G' /\
  meq (setm (setm (setL m l (fun o => m (MC t o))) (MC t t) (S (m (MC t t)))) (Lk l) 0) m'.
Proof.
  intros H. cbn [Instrument.ins]. rewrite run_app.
  destruct (run_set Z t (MC t) (ML l) G m) as (G1 & m1 & -> & E1 & Hin & Hout); try reflexivity; try congruence.
  rewrite run_app. destruct (run_inc t (MC t t) G1 m1) as (G2 & -> & E2); [reflexivity|]. rewrite run_single. cbn [exec].
  rewrite setm_other by discriminate. rewrite Hout, H, Nat.eqb_refl by discriminate.
  eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|].
  assert (M : meq (setL m l (fun o => m (MC t o))) m1).
  { intros p. destruct p as [x|k|v o|k o|x o|x o|x]; try (symmetry; apply Hout; discriminate).
    simpl. destruct (Nat.eqb_spec k l) as [->|Hv]; simpl; [|symmetry; apply Hout; congruence].
    destruct (Nat.ltb_spec o Z); [now rewrite Hin|]. symmetry. apply Hout. intros o' Ho E. injection E as ->. lia. }
  rewrite <- (M (MC t t)). simpl. intros p. unfold setm. destruct (loc_dec p (Lk l)); auto. destruct (loc_dec p (MC t t)); auto.
Qed.

Lemma merge_inc t a b c G m : a <> b -> c = a \/ c = b -> (* C[b] joins C[a]; c is incremented *)
  exists G' m', run t (merge Z (MC a) (MC b) ++ inc (MC c c)) G m = Ok G' m' /\ eqU G G' /\
  meq (let m1 := setC m b (fun o => Nat.max (m (MC a o)) (m (MC b o))) in setm m1 (MC c c) (S (m1 (MC c c)))) m'.
Proof.
  intros Hne Hc. rewrite run_app.
  destruct (run_merge Z t (MC a) (MC b) G m) as (G1 & m1 & -> & E1 & Hin & Hout); try reflexivity; try congruence.
  destruct (run_inc t (MC c c) G1 m1) as (G2 & -> & E2); [reflexivity|].
  eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|].
  assert (M : meq (setC m b (fun o => Nat.max (m (MC a o)) (m (MC b o)))) m1).
  { intros p. destruct p as [x|k|v o|k o|x o|x o|x]; try (symmetry; apply Hout; discriminate).
    simpl. destruct (Nat.eqb_spec v b) as [->|Hv]; simpl; [|symmetry; apply Hout; congruence].
    destruct (Nat.ltb_spec o Z); [now rewrite Hin|]. symmetry. apply Hout. intros o' Ho E. injection E as ->. lia. }
  intros p. cbv zeta. rewrite (M (MC c c)). unfold setm. destruct (loc_dec p (MC c c)); auto.
Qed.

Lemma setC_own m b v c : c <> b -> setC m b v (MC c c) = m (MC c c).
Proof. intros H. simpl. apply Nat.eqb_neq in H. now rewrite H. Qed.

Lemma run_spawn_ok t u li G m : t <> u -> exists G' m', run t (ins t (Spawn u li)) G m = Ok G' m' /\ eqU G G' /\
  meq (setm (setC m u (fun o => Nat.max (m (MC t o)) (m (MC u o)))) (MC t t) (S (m (MC t t)))) m'.
Proof.
  intros H. cbn [Instrument.ins]. rewrite app_assoc, run_app.
  destruct (merge_inc t t u t G m H (or_introl eq_refl)) as (G' & m' & -> & E & M). rewrite run_single. cbn [exec].
  exists G', m'. split; [auto|]. split; auto. cbv zeta in M. rewrite setC_own in M; auto.
Qed.

Lemma run_wait_ok t u G m : t <> u -> exists G' m', run t (ins t (Wait u)) G m = Ok G' m' /\ eqU G G' /\
  meq (setm (setC m t (fun o => Nat.max (m (MC u o)) (m (MC t o)))) (MC u u) (S (m (MC u u)))) m'.
Proof.
  intros H. cbn [Instrument.ins]. rewrite run_app, run_single. cbn [exec].
  destruct (merge_inc t u t u G m (fun E => H (eq_sym E)) (or_introl eq_refl)) as (G' & m' & -> & E & M).
  exists G', m'. split; [auto|]. split; auto. cbv zeta in M. rewrite setC_own in M; auto.
Qed.

Lemma in_seq0 o : In o (seq 0 Z) <-> o < Z.
Proof. rewrite in_seq. lia. Qed.

(** A check under the lock X[x], which is none of what is checked. *)
Lemma run_hb_ok t x a b G m : (forall o, a o <> MX x /\ b o <> MX x) -> (forall o, o < Z -> m (a o) <= m (b o)) ->
  exists G', run t (hb_check Z a b) G (setm m (MX x) (S t)) = Ok G' (setm m (MX x) (S t)) /\ eqU G G'.
Proof.
  intros Hx H. apply run_check. intros o Ho. apply in_seq0 in Ho. destruct (Hx o). rewrite !setm_other by auto. auto.
Qed.
Lemma run_hb_fail t x a b G m : (forall o, a o <> MX x /\ b o <> MX x) -> (exists o, o < Z /\ m (b o) < m (a o)) ->
  run t (hb_check Z a b) G (setm m (MX x) (S t)) = Fail.
Proof.
  intros Hx (o & Ho & H). apply run_check. exists o. rewrite in_seq0. destruct (Hx o). rewrite !setm_other by auto. auto.
Qed.

Ltac enter H := cbn [Instrument.ins]; rewrite run_app, run_single; cbn [exec]; rewrite H, Nat.eqb_refl.

Lemma run_load_ok t a x G m : m (MX x) = 0 -> (forall o, o < Z -> m (MW x o) <= m (MC t o)) ->
  exists G' m', run t (ins t (Load a (Var x))) G m = Ok G' m' /\ eqU (setv G a (m (Var x))) G' /\ meq (setm m (MR x t) (m (MC t t))) m'.
Proof.
  intros H HW. enter H. rewrite run_app.
  destruct (run_hb_ok t x (MW x) (MC t) G m ltac:(split; discriminate) HW) as (G1 & -> & E1). rewrite run_app.
  destruct (run_move t (MC t t) (MR x t) G1 (setm m (MX x) (S t)) eq_refl) as (G2 & -> & E2). rewrite run_app, run_single. cbn [exec].
  rewrite run_single. cbn [exec]. rewrite !(setm_other _ _ _ (Var x)) by discriminate. rewrite (setm_other _ _ _ (MX x)) by discriminate.
  rewrite setm_same, Nat.eqb_refl. rewrite setm_other by discriminate.
  eexists; eexists. split; [reflexivity|]. split; [apply eqU_set; eapply eqU_trans; eauto|].
  intros p. unfold setm. destruct (loc_dec p (MX x)) as [->|]; auto.
Qed.
Lemma run_load_fail t a x G m : m (MX x) = 0 -> (exists o, o < Z /\ m (MC t o) < m (MW x o)) -> run t (ins t (Load a (Var x))) G m = Fail.
Proof. intros H HW. enter H. rewrite run_app, run_hb_fail; auto. split; discriminate. Qed.

Lemma run_store_ok t e x G m : usere e -> m (MX x) = 0 -> (forall o, o < Z -> m (MW x o) <= m (MC t o)) -> (forall o, o < Z -> m (MR x o) <= m (MC t o)) ->
  exists G' m', run t (ins t (Store e (Var x))) G m = Ok G' m' /\ eqU G G' /\ meq (setm (setm m (MW x t) (m (MC t t))) (Var x) (eval G e)) m'.
Proof.
  intros Hu H HW HR. enter H. rewrite run_app.
  destruct (run_hb_ok t x (MW x) (MC t) G m ltac:(split; discriminate) HW) as (G1 & -> & E1). rewrite run_app.
  destruct (run_hb_ok t x (MR x) (MC t) G1 m ltac:(split; discriminate) HR) as (G2 & -> & E2). rewrite run_app.
  destruct (run_move t (MC t t) (MW x t) G2 (setm m (MX x) (S t)) eq_refl) as (G3 & -> & E3). rewrite run_app, run_single. cbn [exec is_lock].
  rewrite run_single. cbn [exec]. rewrite !(setm_other _ _ _ (MX x)) by discriminate.
  rewrite setm_same, Nat.eqb_refl. rewrite (setm_other _ _ _ (MC t t)) by discriminate.
  assert (E : eqU G G3) by (eapply eqU_trans; [eauto|]; eapply eqU_trans; eauto).
  eexists; eexists. split; [reflexivity|]. split; [exact E|]. rewrite (eqU_eval _ _ _ E Hu).
  intros p. unfold setm. destruct (loc_dec p (MX x)) as [->|]; auto.
Qed.
Lemma run_store_fail t e x G m : m (MX x) = 0 -> (exists o, o < Z /\ (m (MC t o) < m (MW x o) \/ m (MC t o) < m (MR x o))) ->
  run t (ins t (Store e (Var x))) G m = Fail.
Proof.
  intros H (o & Ho & Hr). enter H. rewrite run_app.
  destruct (check_dec m (MW x) (MC t) (seq 0 Z)) as [HW|(o' & Ho' & HW)].
  - destruct (run_hb_ok t x (MW x) (MC t) G m ltac:(split; discriminate) (fun o Ho => HW o (proj2 (in_seq0 o) Ho))) as (G1 & -> & E1).
    rewrite run_app, run_hb_fail; auto; [split; discriminate|]. exists o. split; auto. specialize (HW o (proj2 (in_seq0 o) Ho)). lia.
  - apply in_seq0 in Ho'. rewrite run_hb_fail; eauto. split; discriminate.
Qed.

(** Figure 11 to the run of the section, from any memory that is the same and any environment that is the same but for the temporaries. *)
Lemma sect_run t G m i R G1 m1 : src i -> apart t i -> sect t G m i R -> eqU G G1 -> meq m m1 ->
  match R with
  | Some (G', m') => exists G1' m1', run t (ins t i) G1 m1 = Ok G1' m1' /\ eqU G' G1' /\ meq m' m1'
  | None => run t (ins t i) G1 m1 = Fail
  end.
Proof.
  intros Hs Ha St Eu Em.
  assert (Emt : forall m' m1', meq m m' -> meq m1 m1' -> meq m' m1') by (intros m' m1' H1 H2 p; rewrite <- H1, <- H2; auto).
  assert (Tr : forall (f : mem -> mem) (m' m1' : mem), (forall p, f m p = f m1 p) -> meq (f m) m' -> meq (f m1) m1' -> meq m' m1').
  { intros f m' m1' Hf H1 H2 p. rewrite <- H1, <- H2. apply Hf. }
  assert (EU : forall G' G1' Ga Gb, eqU Ga G' -> eqU Gb G1' -> eqU Ga Gb -> eqU G' G1').
  { intros G' G1' Ga Gb H1 H2 H3 a. rewrite <- H1, <- H2. apply H3. }
  destruct St as [a e G' m' HG HM|a x G' m' HX HW HG HM|a x HX HW|e x G' m' HX HW HR HG HM|e x HX HW|l G' m' HX HG HM|l G' m' HX HG HM|u li G' m' HG HM|u G' m' HG HM|e1 e2 G' m' He HG HM|e1 e2 He].
  - exists (setv G1 a (eval G1 e)), m1. split; [reflexivity|]. simpl in Hs. destruct a; try contradiction.
    split; [|eapply Emt; eauto; intros p; auto]. eapply EU; [exact HG|apply eqU_refl|]. rewrite (eqU_eval _ _ _ Eu Hs). now apply eqU_set.
  - destruct (run_load_ok t a x G1 m1) as (G1' & m1' & E & E2 & M); [now rewrite <- Em|intros o Ho; rewrite <- !Em; auto|].
    exists G1', m1'. split; auto. split; [eapply EU; [exact HG|exact E2|]; rewrite Em; now apply eqU_set|].
    apply (Tr (fun m => setm m (MR x t) (m (MC t t))) m' m1'); auto. intros p. unfold setm. rewrite !Em. reflexivity.
  - apply run_load_fail; [now rewrite <- Em|]. destruct HW as (o & Ho & HW). exists o. now rewrite <- !Em.
  - destruct (run_store_ok t e x G1 m1) as (G1' & m1' & E & E2 & M); [exact Hs|now rewrite <- Em|intros o Ho; rewrite <- !Em; auto|intros o Ho; rewrite <- !Em; auto|].
    exists G1', m1'. split; auto. split; [eapply EU; eauto|]. rewrite <- (eqU_eval _ _ _ Eu Hs) in M.
    apply (Tr (fun m => setm (setm m (MW x t) (m (MC t t))) (Var x) (eval G e)) m' m1'); auto. intros p. unfold setm. rewrite !Em. reflexivity.
  - apply run_store_fail; [now rewrite <- Em|]. destruct HW as (o & Ho & HW). exists o. now rewrite <- !Em.
  - destruct (run_lock_ok t l G1 m1) as (G1' & m1' & E & E2 & M); [now rewrite <- Em|].
    exists G1', m1'. split; auto. split; [eapply EU; eauto|].
    apply (Tr (fun m => setC (setm m (Lk l) (S t)) t (fun o => Nat.max (m (ML l o)) (m (MC t o)))) m' m1'); auto.
    intros p. destruct p; simpl; unfold setm; rewrite ?Em; auto.
  - destruct (run_unlock_ok t l G1 m1) as (G1' & m1' & E & E2 & M); [now rewrite <- Em|].
    exists G1', m1'. split; auto. split; [eapply EU; eauto|].
    apply (Tr (fun m => setm (setm (setL m l (fun o => m (MC t o))) (MC t t) (S (m (MC t t)))) (Lk l) 0) m' m1'); auto.
    intros p. unfold setm, setL. rewrite !Em. destruct p; rewrite ?Em; auto.
  - destruct (run_spawn_ok t u li G1 m1 Ha) as (G1' & m1' & E & E2 & M).
    exists G1', m1'. split; auto. split; [eapply EU; eauto|].
    apply (Tr (fun m => setm (setC m u (fun o => Nat.max (m (MC t o)) (m (MC u o)))) (MC t t) (S (m (MC t t)))) m' m1'); auto.
    intros p. unfold setm, setC. rewrite !Em. destruct p; rewrite ?Em; auto.
  - destruct (run_wait_ok t u G1 m1 Ha) as (G1' & m1' & E & E2 & M).
    exists G1', m1'. split; auto. split; [eapply EU; eauto|].
    apply (Tr (fun m => setm (setC m t (fun o => Nat.max (m (MC u o)) (m (MC t o)))) (MC u u) (S (m (MC u u)))) m' m1'); auto.
    intros p. unfold setm, setC. rewrite !Em. destruct p; rewrite ?Em; auto.
  - exists G1, m1. destruct Hs as [U1 U2]. cbn [Instrument.ins]. rewrite run_single. cbn [exec]. rewrite <- (eqU_eval _ _ _ Eu U1), <- (eqU_eval _ _ _ Eu U2).
    apply Nat.leb_le in He. rewrite He. split; [reflexivity|]. split; [eapply EU; [exact HG|apply eqU_refl|exact Eu]|eapply Emt; [exact HM|intros p; auto]].
  - destruct Hs as [U1 U2]. cbn [Instrument.ins]. rewrite run_single. cbn [exec]. rewrite <- (eqU_eval _ _ _ Eu U1), <- (eqU_eval _ _ _ Eu U2).
    apply Nat.leb_gt in He. now rewrite He.
Qed.

(** ... and back: whatever the section does is in Figure 11. For [unlock] the thread has the lock. *)
Lemma run_sect t G m i : src i -> apart t i -> (forall l, i = Unlock (Lk l) -> m (Lk l) = S t) ->
  match run t (ins t i) G m with Ok G' m' => sect t G m i (Some (G', m')) | Fail => sect t G m i None | Block => True end.
Proof.
  intros Hs Ha Hl. destruct i as [a e|a q|e q|q|q|u li|u|e1 e2]; simpl in Hs; try contradiction.
  - destruct a; try contradiction. simpl. constructor; [apply eqU_refl|intros p; auto].
  - destruct a; try contradiction. destruct q as [x| | | | | |]; try contradiction.
    destruct (Nat.eq_dec (m (MX x)) 0) as [H|H].
    + destruct (check_dec m (MW x) (MC t) (seq 0 Z)) as [HW|(o & Ho & HW)].
      * assert (HW' : forall o, o < Z -> m (MW x o) <= m (MC t o)) by (intros o Ho; apply HW, in_seq0; auto).
        destruct (run_load_ok t (U a) x G m H HW') as (G' & m' & -> & E & M). now constructor.
      * apply in_seq0 in Ho. rewrite run_load_fail by eauto. constructor; eauto.
    + cbn [Instrument.ins]. rewrite run_app, run_single. cbn [exec]. apply Nat.eqb_neq in H. now rewrite H.
  - destruct q as [x| | | | | |]; try contradiction.
    destruct (Nat.eq_dec (m (MX x)) 0) as [H|H].
    + destruct (check_dec m (MW x) (MC t) (seq 0 Z)) as [HW|(o & Ho & HW)].
      * destruct (check_dec m (MR x) (MC t) (seq 0 Z)) as [HR|(o & Ho & HR)].
        { assert (HW' : forall o, o < Z -> m (MW x o) <= m (MC t o)) by (intros o Ho; apply HW, in_seq0; auto).
          assert (HR' : forall o, o < Z -> m (MR x o) <= m (MC t o)) by (intros o Ho; apply HR, in_seq0; auto).
          destruct (run_store_ok t e x G m Hs H HW' HR') as (G' & m' & -> & E & M). now constructor. }
        { apply in_seq0 in Ho. rewrite run_store_fail by eauto. constructor; eauto. }
      * apply in_seq0 in Ho. rewrite run_store_fail by eauto. constructor; eauto.
    + cbn [Instrument.ins]. rewrite run_app, run_single. cbn [exec]. apply Nat.eqb_neq in H. now rewrite H.
  - destruct q as [|l| | | | |]; try contradiction. destruct (Nat.eq_dec (m (Lk l)) 0) as [H|H].
    + destruct (run_lock_ok t l G m H) as (G' & m' & -> & E & M). now constructor.
    + cbn [Instrument.ins]. rewrite run_app, run_single. cbn [exec]. apply Nat.eqb_neq in H. now rewrite H.
  - destruct q as [|l| | | | |]; try contradiction. specialize (Hl l eq_refl).
    destruct (run_unlock_ok t l G m Hl) as (G' & m' & -> & E & M). now constructor.
  - destruct (run_spawn_ok t u li G m Ha) as (G' & m' & -> & E & M). now constructor.
  - destruct (run_wait_ok t u G m Ha) as (G' & m' & -> & E & M). now constructor.
  - cbn [Instrument.ins]. rewrite run_single. cbn [exec]. destruct (Nat.leb_spec (eval G e1) (eval G e2)); constructor; auto; [apply eqU_refl|intros p; auto].
Qed.

(** ** Steps of Figure 7 are what a thread does on its own, and what it does to the pool *)

(** The operation of an instruction. *)
Definition lab (t : tid) (j : instr) : option op :=
  match j with
  | Load _ p => on_var p (Rd t) | Store _ p => on_var p (Wr t)
  | Lock p => on_lock p (Acq t) | Unlock p => on_lock p (Rel t)
  | Spawn u _ => Some (Fork t u) | Wait u => Some (Join t u)
  | _ => None
  end.

Lemma step_exec t P m o R : step t P m o R -> exists j rest G, P t = Some (j :: rest, G) /\ pool_ok P j /\ o = lab t j /\
  match R with Err => exec t j G m = Fail | Good P' m' => exists G', exec t j G m = Ok G' m' /\ P' = after P t j rest G' end.
Proof.
  intros St. destruct St as [a e li G Hp|a p li G Hp|e p li G Hp Hk|p li G Hp Hm|p li G Hp Hm|u li' li G Hp Hu|u li G G' Hp Hu|e1 e2 li G Hp He|e1 e2 li G Hp He];
  (eexists; eexists; eexists; split; [exact Hp|]); simpl; (split; [eauto|]); (split; [reflexivity|]); try (eexists; split; [reflexivity|reflexivity]).
  - rewrite Hk. eexists; split; reflexivity.
  - rewrite Hm. eexists; split; reflexivity.
  - rewrite Hm, Nat.eqb_refl. eexists; split; reflexivity.
  - apply Nat.leb_le in He. rewrite He. eexists; split; reflexivity.
  - apply Nat.leb_gt in He. now rewrite He.
Qed.

Lemma exec_step t P m j rest G : P t = Some (j :: rest, G) -> pool_ok P j ->
  match exec t j G m with
  | Ok G' m' => step t P m (lab t j) (Good (after P t j rest G') m')
  | Fail => step t P m (lab t j) Err
  | Block => True
  end.
Proof.
  intros Hp Hok. destruct j as [a e|a q|e q|q|q|u li|u|e1 e2]; simpl in *.
  - now constructor.
  - now constructor.
  - destruct (is_lock q) eqn:E; auto. now constructor.
  - destruct (Nat.eqb_spec (m q) 0); auto. now constructor.
  - destruct (Nat.eqb_spec (m q) (S t)); auto. now constructor.
  - now constructor.
  - destruct Hok as [G' Hu]. eapply S_Wait; eauto.
  - destruct (Nat.leb_spec (eval G e1) (eval G e2)); [eapply S_Assert|eapply S_AssertFails]; eauto.
Qed.

(** ** Lemma 3 *)

(** P' is P instrumented, but for the temporaries. *)
Definition psim (P P' : pool) : Prop := forall v,
  match P v, P' v with
  | Some (li, G), Some (li', G') => li' = inss v li /\ eqU G G'
  | None, None => True
  | _, _ => False
  end.

Lemma tsteps_trans t P m P1 m1 R : tsteps t P m (Good P1 m1) -> tsteps t P1 m1 R -> tsteps t P m R.
Proof.
  intros H. remember (Good P1 m1) as R1 eqn:E. revert E. induction H as [P m|P m o H|P m o P' m' R' H H' IH]; intros E H2.
  - injection E as -> ->. auto.
  - discriminate.
  - eapply ts_cons; eauto.
Qed.

Definition is_local (i : instr) : Prop := match i with Spawn _ _ | Wait _ => False | _ => True end.
Lemma run_tsteps t l : Forall is_local l -> forall rest P G m, P t = Some (l ++ rest, G) ->
  match run t l G m with
  | Ok G' m' => exists P', tsteps t P m (Good P' m') /\ P' t = Some (rest, G') /\ forall v, v <> t -> P' v = P v
  | Fail => tsteps t P m Err
  | Block => True
  end.
Proof.
  induction l as [|i l IH]; intros Hl rest P G m Hp.
  - exists P. repeat split; auto. constructor.
  - inversion Hl as [|? ? Hi Hl']; subst. simpl.
    assert (Ok_ : pool_ok P i) by (destruct i; simpl; auto; contradiction).
    pose proof (exec_step t P m i (l ++ rest) G Hp Ok_) as St. destruct (exec t i G m) as [G1 m1| |]; auto.
    + assert (Ea : after P t i (l ++ rest) G1 = upd P t (Some (l ++ rest, G1))) by (destruct i; simpl in *; auto; contradiction).
      rewrite Ea in St. specialize (IH Hl' rest (upd P t (Some (l ++ rest, G1))) G1 m1 (upd_same _ _ _)).
      destruct (run t l G1 m1) as [G2 m2| |]; auto.
      * destruct IH as (P' & Ht & Hp' & Ho). exists P'. split; [eapply ts_cons; eauto|]. split; auto.
        intros v Hv. rewrite Ho by auto. now apply upd_other.
      * eapply ts_cons; eauto.
    + eapply ts_err; eauto.
Qed.

Ltac locals := repeat first
  [ apply Forall_app; split | apply Forall_cons; [exact I|] | apply Forall_nil
  | unfold hb_check, check_at, merge, merge_at, set, set_at; apply Forall_flat_map, Forall_forall; intros
  | unfold move, inc, max, lea ].

Lemma ins_local t i : src i -> is_local i -> Forall is_local (ins t i).
Proof.
  intros Hs Hl. destruct i as [a e|a q|e q|q|q|u li|u|e1 e2]; simpl in Hs, Hl; try contradiction;
  try (destruct q; try contradiction); cbn [Instrument.ins]; locals.
Qed.

(** Lemma 3: a bigger step is a sequence of small steps of its thread. *)
Theorem instrumentation_lemma_3 t P m R Q mq : big t P m R -> (forall i li G, P t = Some (i :: li, G) -> src i) -> psim P Q -> meq m mq ->
  match R with
  | Good P' m' => exists Q' mq', tsteps t Q mq (Good Q' mq') /\ psim P' Q' /\ meq m' mq'
  | Err => tsteps t Q mq Err
  end.
Proof.
  intros B Hsrc Hps Hm.
  assert (Qt : forall i li G, P t = Some (i :: li, G) -> exists Gq, Q t = Some (ins t i ++ inss t li, Gq) /\ eqU G Gq).
  { intros i li G Hp. specialize (Hps t). rewrite Hp in Hps. destruct (Q t) as [[li' Gq]|]; [|contradiction]. destruct Hps as [-> E]. eauto. }
  assert (Ap : forall i li G, P t = Some (i :: li, G) -> pool_ok P i -> apart t i).
  { intros i li G Hp Ho. destruct i; simpl in *; auto; intros ->; [congruence|]. destruct Ho as [G' Ho]. congruence. }
  assert (Ps : forall li G' Gq' Q', eqU G' Gq' -> Q' t = Some (inss t li, Gq') -> (forall v, v <> t -> Q' v = Q v) -> psim (upd P t (Some (li, G'))) Q').
  { intros li G' Gq' Q' E Ht Ho v. destruct (Nat.eq_dec v t) as [->|Hv]; [rewrite upd_same, Ht; auto|]. rewrite upd_other, Ho by auto. apply Hps. }
  destruct B as [i li G G' m' Hp Hok Se|i li G Hp Se]; destruct (Qt _ _ _ Hp) as (Gq & Hq & Eq).
  - pose proof (sect_run _ _ _ _ _ Gq mq (Hsrc _ _ _ Hp) (Ap _ _ _ Hp Hok) Se Eq Hm) as (Gq' & mq' & Er & Eu & Em).
    destruct i as [a e|a q|e q|q|q|u b|u|e1 e2].
    1-5, 8: pose proof (run_tsteps t _ (ins_local t _ (Hsrc _ _ _ Hp) I) _ _ _ mq Hq) as Rt; rewrite Er in Rt; destruct Rt as (Q' & Ht & Hq' & Ho);
      exists Q', mq'; split; [auto|]; split; [|auto]; simpl; eapply Ps; eauto.
    + (* spawn *) cbn [Instrument.ins] in Hq, Er. rewrite app_assoc in Hq, Er. rewrite run_app in Er. rewrite <- app_assoc in Hq. simpl in Hq.
      assert (Lo : Forall is_local (merge Z (MC t) (MC u) ++ inc (MC t t))) by locals.
      pose proof (run_tsteps t _ Lo _ _ _ mq Hq) as Rt.
      destruct (run t (merge Z (MC t) (MC u) ++ inc (MC t t)) Gq mq) as [G1 m1| |]; try discriminate. simpl in Er. injection Er as <- <-.
      destruct Rt as (Q1 & Ht & Hq1 & Ho). simpl in Hok.
      assert (Hne : u <> t) by (intros ->; congruence).
      assert (Hu : Q1 u = None). { rewrite Ho by auto. specialize (Hps u). rewrite Hok in Hps. destruct (Q u) as [[? ?]|]; auto; contradiction. }
      pose proof (exec_step t Q1 m1 _ _ _ Hq1 Hu) as St.
      eexists; eexists. split; [eapply tsteps_trans; [exact Ht|eapply ts_cons; [exact St|constructor]]|]. split; [|auto].
      simpl. intros v. destruct (Nat.eq_dec v u) as [->|Hv]; [rewrite !upd_same; split; [auto|apply eqU_refl]|].
      rewrite !(upd_other _ u) by auto. apply (Ps li G' G1); auto; [apply upd_same|]. intros w Hw. rewrite upd_other by auto. auto.
    + (* wait *) cbn [Instrument.ins] in Hq, Er. rewrite run_app in Er. simpl in Er. destruct Hok as [G2 Hok].
      assert (Hne : u <> t) by (intros ->; congruence).
      assert (Hu : exists G3, Q u = Some ([], G3)). { specialize (Hps u). rewrite Hok in Hps. destruct (Q u) as [[? ?]|]; [|contradiction]. destruct Hps as [-> _]. eauto. }
      pose proof (exec_step t Q mq _ _ _ Hq Hu) as St. simpl in St.
      assert (Lo : Forall is_local (merge Z (MC u) (MC t) ++ inc (MC u u))) by locals.
      pose proof (run_tsteps t _ Lo (inss t li) (upd Q t (Some ((merge Z (MC u) (MC t) ++ inc (MC u u)) ++ inss t li, Gq))) Gq mq (upd_same _ _ _)) as Rt.
      rewrite Er in Rt. destruct Rt as (Q1 & Ht & Hq1 & Ho).
      exists Q1, mq'. split; [eapply ts_cons; [exact St|exact Ht]|]. split; [|auto]. simpl.
      eapply Ps; eauto. intros v Hv. rewrite Ho by auto. now apply upd_other.
  - assert (Ha : apart t i) by (inversion Se; exact I).
    pose proof (sect_run _ _ _ _ _ Gq mq (Hsrc _ _ _ Hp) Ha Se Eq Hm) as Er. simpl in Er.
    assert (Lo : is_local i) by (inversion Se; exact I).
    pose proof (run_tsteps t _ (ins_local t _ (Hsrc _ _ _ Hp) Lo) _ _ _ mq Hq) as Rt. now rewrite Er in Rt.
Qed.
End Bigger.
