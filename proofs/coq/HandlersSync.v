(** The handlers' part of the simulation that is about clocks, locks and threads: their handlers, entry by entry, take effect as their rules say. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors OnlineRules Handlers.

(** A clock that thread v at p is working on itself, and one that t at p is working on for v, whom it forks. *)
Definition partC (s : sync) (p : pc) (v i : nat) : nat :=
  match p with
  | SAcq m k => if i <? k then Nat.max (C s v i) (L s m i) else C s v i
  | SJoin u k => if i <? k then Nat.max (C s v i) (C s u i) else C s v i
  | _ => C s v i
  end.
Definition partF (s : sync) (p : pc) (t v i : nat) : nat :=
  match p with SFork u k => if (u =? v) && (i <? k) then Nat.max (C s v i) (C s t i) else C s v i | _ => C s v i end.
Definition partL (s : sync) (p : pc) (t m i : nat) : nat :=
  match p with SRel m' k => if (m' =? m) && (i <? k) then C s t i else L s m i | _ => L s m i end.
Definition expC (g : gstate) (s : sync) (v i : nat) : nat :=
  match gS g v with Forking t => partF s (gP g t) t v i | _ => partC s (gP g v) v i end.
Definition expL (g : gstate) (s : sync) (m i : nat) : nat :=
  match gH g m with Some t => partL s (gP g t) t m i | None => L s m i end.
(** The lock's holder as the trace has it: the acquire has not taken effect yet, or the release already has. *)
Definition expH (g : gstate) (m : lock) : option tid :=
  match gH g m with
  | None => None
  | Some t => match gP g t with SAcq m' _ | SRelU m' => if m' =? m then None else Some t | _ => Some t end
  end.

Section SI.
Variable N : nat.
Record SI (g : gstate) (tr : trace) : Prop := {
  si_feas : feasible tr;
  si_run : forall t, gP g t <> Idle -> gS g t = Running /\ t < N;
  si_fork : forall t u k, gP g t = SFork u k -> gS g u = Forking t /\ u < N /\ k <= N;
  si_forking : forall u t, gS g u = Forking t -> exists k, gP g t = SFork u k;
  si_join : forall t u k, gP g t = SJoin u k -> gS g u = Exited /\ u < N /\ k <= N;
  si_acq : forall t m k, gP g t = SAcq m k -> gH g m = Some t /\ k <= N;
  si_rel : forall t m k, gP g t = SRel m k -> gH g m = Some t /\ k <= N;
  si_relu : forall t m, gP g t = SRelU m -> gH g m = Some t;
  si_hold : forall m, holder tr m = expH g m;
  si_joined : forall u, joined tr u -> gS g u = Exited;
  si_C : forall v i, gC g v i = expC g (ck tr) v i;
  si_L : forall m i, gL g m i = expL g (ck tr) m i;
  si_zC : forall v i, v < N -> N <= i -> C (ck tr) v i = 0;
  si_zL : forall m i, N <= i -> L (ck tr) m i = 0 }.

Lemma idle g tr v : SI g tr -> gS g v <> Running -> gP g v = Idle.
Proof.
  intros I H. destruct (gP g v) eqn:E; auto; exfalso; apply H; apply (si_run _ _ I v); congruence.
Qed.

(** A thread that does not work on clocks sees those of the rules. *)
Definition neutral (p : pc) : bool :=
  match p with SAcq _ _ | SRel _ _ | SRelU _ | SFork _ _ | SJoin _ _ => false | _ => true end.
Lemma clock_of_neutral g tr t : SI g tr -> gS g t = Running -> neutral (gP g t) = true -> forall i, gC g t i = C (ck tr) t i.
Proof. intros I Hs Hn i. rewrite (si_C _ _ I t i). unfold expC. rewrite Hs. destruct (gP g t); try discriminate; reflexivity. Qed.

Ltac eqbs := repeat (match goal with
  | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst
  | H : context [?a =? ?b] |- _ => destruct (Nat.eqb_spec a b); subst end); try congruence.

(** Steps of a thread that works on no clock before or after. *)
Lemma SI_neutral g tr V' t p' tr' : SI g tr -> neutral (gP g t) = true -> neutral p' = true ->
  (p' <> Idle -> gS g t = Running /\ t < N) ->
  feasible tr' -> ck tr' = ck tr -> (forall m, holder tr' m = holder tr m) -> (forall u, joined tr' u -> joined tr u) ->
  SI (mkG (gC g) (gL g) V' (upd (gP g) t p') (gH g) (gS g)) tr'.
Proof.
  intros I Hn Hn' Hr F Ek Eh Ej.
  assert (EP : forall v p, neutral p = false -> upd (gP g) t p' v = p -> gP g v = p).
  { intros v p Hp. unfold upd. destruct (Nat.eqb_spec v t); auto. intros ->. congruence. }
  constructor; simpl; auto.
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_run _ _ I v); auto.
  - intros v u k H. apply EP in H; auto. apply (si_fork _ _ I v u k H).
  - intros u v H. destruct (si_forking _ _ I u v H) as [k Hk]. exists k. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. rewrite Hk in Hn. discriminate.
  - intros v u k H. apply EP in H; auto. apply (si_join _ _ I v u k H).
  - intros v m k H. apply EP in H; auto. apply (si_acq _ _ I v m k H).
  - intros v m k H. apply EP in H; auto. apply (si_rel _ _ I v m k H).
  - intros v m H. apply EP in H; auto. apply (si_relu _ _ I v m H).
  - intros m. rewrite Eh, (si_hold _ _ I m). unfold expH. simpl. destruct (gH g m) as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst.
    destruct (gP g t); try discriminate; destruct p'; try discriminate; reflexivity.
  - intros u H. apply (si_joined _ _ I). auto.
  - intros v i. rewrite Ek, (si_C _ _ I v i). unfold expC. simpl.
    assert (A : partC (ck tr) (gP g v) v i = partC (ck tr) (upd (gP g) t p' v) v i).
    { unfold upd. destruct (Nat.eqb_spec v t); auto. subst. destruct (gP g t); try discriminate; destruct p'; try discriminate; reflexivity. }
    destruct (gS g v); auto. unfold upd. destruct (Nat.eqb_spec by_ t); auto. subst. destruct (gP g t); try discriminate; destruct p'; try discriminate; reflexivity.
  - intros m i. rewrite Ek, (si_L _ _ I m i). unfold expL. simpl. destruct (gH g m) as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst.
    destruct (gP g t); try discriminate; destruct p'; try discriminate; reflexivity.
  - rewrite Ek. apply (si_zC _ _ I).
  - rewrite Ek. apply (si_zL _ _ I).
Qed.

Lemma ck_snoc tr a : ck (tr ++ [a]) = sync_step false (ck tr) a.
Proof. apply clk_snoc. Qed.

Lemma SI_acq g tr t m : SI g tr -> t < N -> gP g t = Idle -> gS g t = Running -> gH g m = None ->
  SI (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SAcq m 0)) (upd (gH g) m (Some t)) (gS g)) tr.
Proof.
  intros I Ht Hp Hs Hh. constructor; simpl; try apply I.
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_run _ _ I v); auto.
  - intros v u k H. unfold upd in H. eqbs. apply (si_fork _ _ I v u k H).
  - intros u v H. destruct (si_forking _ _ I u v H) as [k Hk]. exists k. unfold upd. eqbs.
  - intros v u k H. unfold upd in H. eqbs. apply (si_join _ _ I v u k H).
  - intros v m' k H. unfold upd in *. destruct (Nat.eqb_spec v t) as [Ev|].
    + subst v. injection H as <- <-. rewrite Nat.eqb_refl. split; [auto|lia].
    + destruct (si_acq _ _ I v m' k H). eqbs. auto.
  - intros v m' k H. unfold upd in *. destruct (Nat.eqb_spec v t) as [Ev|]; [discriminate|]. destruct (si_rel _ _ I v m' k H). eqbs. auto.
  - intros v m' H. unfold upd in *. destruct (Nat.eqb_spec v t) as [Ev|]; [discriminate|]. pose proof (si_relu _ _ I v m' H). eqbs.
  - intros m'. rewrite (si_hold _ _ I m'). unfold expH. simpl. unfold upd. destruct (Nat.eqb_spec m' m) as [->|Hm].
    + rewrite Hh, !Nat.eqb_refl. reflexivity.
    + destruct (gH g m') as [v|]; auto. destruct (Nat.eqb_spec v t) as [->|]; auto. rewrite Hp. destruct (Nat.eqb_spec m m'); congruence.
  - intros v i. rewrite (si_C _ _ I v i). unfold expC. simpl. destruct (gS g v) as [|w| |] eqn:Ev.
    + unfold upd. destruct (Nat.eqb_spec v t) as [->|]; [congruence|auto].
    + unfold upd. destruct (Nat.eqb_spec w t) as [->|]; auto. now rewrite Hp.
    + unfold upd. destruct (Nat.eqb_spec v t) as [->|]; auto. now rewrite Hp.
    + unfold upd. destruct (Nat.eqb_spec v t) as [->|]; [congruence|auto].
  - intros m' i. rewrite (si_L _ _ I m' i). unfold expL. simpl. unfold upd. destruct (Nat.eqb_spec m' m) as [->|Hm].
    + rewrite Hh, Nat.eqb_refl. reflexivity.
    + destruct (gH g m') as [v|]; auto. destruct (Nat.eqb_spec v t) as [->|]; auto. now rewrite Hp.
Qed.

(** A step inside a handler of synchronisation, or its call: t goes from p to p', both about the same, and only clocks change. *)
Lemma SI_inside g tr t p' C' L' : SI g tr -> gS g t = Running -> t < N -> p' <> Idle ->
  (forall u k, p' = SFork u k -> gS g u = Forking t /\ u < N /\ k <= N) ->
  (forall u, gS g u = Forking t -> exists k, p' = SFork u k) ->
  (forall u k, p' = SJoin u k -> gS g u = Exited /\ u < N /\ k <= N) ->
  (forall m k, p' = SAcq m k -> gH g m = Some t /\ k <= N) ->
  (forall m k, p' = SRel m k -> gH g m = Some t /\ k <= N) ->
  (forall m, p' <> SRelU m) ->
  (forall m, gH g m = Some t -> expH g m = match p' with SAcq m' _ => if m' =? m then None else Some t | _ => Some t end) ->
  (forall v i, C' v i = expC (mkG C' L' (gV g) (upd (gP g) t p') (gH g) (gS g)) (ck tr) v i) ->
  (forall m i, L' m i = expL (mkG C' L' (gV g) (upd (gP g) t p') (gH g) (gS g)) (ck tr) m i) ->
  SI (mkG C' L' (gV g) (upd (gP g) t p') (gH g) (gS g)) tr.
Proof.
  intros I Hs Ht Hp F1 F2 F3 F4 F5 F6 FH FC FL. constructor; auto; simpl; try apply I.
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_run _ _ I v); auto.
  - intros v u k H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_fork _ _ I v u k H).
  - intros u v H. unfold upd. destruct (Nat.eqb_spec v t) as [->|]; auto. apply (si_forking _ _ I u v H).
  - intros v u k H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_join _ _ I v u k H).
  - intros v m k H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_acq _ _ I v m k H).
  - intros v m k H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_rel _ _ I v m k H).
  - intros v m H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [now elim (F6 m)|]. apply (si_relu _ _ I v m H).
  - intros m. rewrite (si_hold _ _ I m). unfold expH at 2. simpl. destruct (gH g m) as [v|] eqn:Eh; [|unfold expH; now rewrite Eh].
    unfold upd. destruct (Nat.eqb_spec v t) as [->|].
    + rewrite (FH m Eh). destruct p'; try reflexivity. now elim (F6 m0).
    + unfold expH. now rewrite Eh.
Qed.

(** What others see does not change with where t is, unless t forks them or has their lock. *)
Lemma expC_other g C' L' V' t p' H' s v i : v <> t -> gS g v <> Forking t ->
  expC (mkG C' L' V' (upd (gP g) t p') H' (gS g)) s v i = expC g s v i.
Proof.
  intros Hv Hf. unfold expC. simpl. unfold upd. destruct (gS g v) as [|w| |]; destruct (Nat.eqb_spec v t); try congruence.
  destruct (Nat.eqb_spec w t); congruence.
Qed.
Lemma expL_other g C' L' V' t p' S' s m i : gH g m <> Some t ->
  expL (mkG C' L' V' (upd (gP g) t p') (gH g) S') s m i = expL g s m i.
Proof.
  intros Hh. unfold expL. simpl. unfold upd. destruct (gH g m) as [v|]; auto. destruct (Nat.eqb_spec v t); congruence.
Qed.
Lemma not_forking g tr t v : SI g tr -> (forall u k, gP g t <> SFork u k) -> gS g v <> Forking t.
Proof. intros I H E. destruct (si_forking _ _ I v t E) as [k Hk]. now apply (H v k). Qed.
Lemma ltb_S i k : i <> k -> (i <? S k) = (i <? k).
Proof. intros H. destruct (Nat.ltb_spec i (S k)), (Nat.ltb_spec i k); auto; lia. Qed.

Ltac notfork I := eapply not_forking; [exact I|]; intros; congruence.

Lemma SI_acq_entry g tr t m k : SI g tr -> gP g t = SAcq m k -> k < N ->
  SI (mkG (upd (gC g) t (upd (gC g t) k (Nat.max (gC g t k) (gL g m k)))) (gL g) (gV g) (upd (gP g) t (SAcq m (S k))) (gH g) (gS g)) tr.
Proof.
  intros I Hp Hk. destruct (si_run _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_acq _ _ I t m k Hp) as [Hh _].
  assert (NF : forall v, gS g v <> Forking t) by (intros v; notfork I).
  assert (EC : forall i, gC g t i = if i <? k then Nat.max (C (ck tr) t i) (L (ck tr) m i) else C (ck tr) t i).
  { intros i. rewrite (si_C _ _ I t i). unfold expC. now rewrite Hs, Hp. }
  assert (EL : gL g m k = L (ck tr) m k) by (rewrite (si_L _ _ I m k); unfold expL; now rewrite Hh, Hp).
  apply SI_inside; auto; try discriminate.
  - intros u E. now elim (NF u).
  - intros m' k' [= <- <-]. split; auto.
  - intros m' E. unfold expH. now rewrite E, Hp.
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + unfold expC. simpl. rewrite Hs. unfold upd. rewrite Nat.eqb_refl. simpl. destruct (Nat.eqb_spec i k) as [->|Hi].
      * rewrite EC, EL, Nat.ltb_irrefl. destruct (Nat.ltb_spec k (S k)); [auto|lia].
      * rewrite ltb_S by auto. apply EC.
    + rewrite expC_other by auto. unfold upd. destruct (Nat.eqb_spec v t); [congruence|]. apply (si_C _ _ I).
  - intros m' i. rewrite (si_L _ _ I m' i). unfold expL. simpl. destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto.
    subst. now rewrite Hp.
Qed.

Lemma SI_rel g tr t m : SI g tr -> t < N -> gP g t = Idle -> gS g t = Running -> gH g m = Some t ->
  SI (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SRel m 0)) (gH g) (gS g)) tr.
Proof.
  intros I Ht Hp Hs Hh. assert (NF : forall v, gS g v <> Forking t) by (intros v; notfork I).
  apply SI_inside; auto; try discriminate.
  - intros u E. now elim (NF u).
  - intros m' k' [= <- <-]. split; [auto|lia].
  - intros m' E. unfold expH. now rewrite E, Hp.
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + rewrite (si_C _ _ I t i). unfold expC. simpl. rewrite Hs, Hp. unfold upd. now rewrite Nat.eqb_refl.
    + rewrite expC_other by auto. apply (si_C _ _ I).
  - intros m' i. rewrite (si_L _ _ I m' i). unfold expL. simpl. destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto.
    subst. rewrite Hp. simpl. now rewrite andb_false_r.
Qed.

Lemma SI_rel_entry g tr t m k : SI g tr -> gP g t = SRel m k -> k < N ->
  SI (mkG (gC g) (upd (gL g) m (upd (gL g m) k (gC g t k))) (gV g) (upd (gP g) t (SRel m (S k))) (gH g) (gS g)) tr.
Proof.
  intros I Hp Hk. destruct (si_run _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_rel _ _ I t m k Hp) as [Hh _].
  assert (NF : forall v, gS g v <> Forking t) by (intros v; notfork I).
  assert (EC : forall i, gC g t i = C (ck tr) t i) by (intros i; rewrite (si_C _ _ I t i); unfold expC; now rewrite Hs, Hp).
  assert (EL : forall i, gL g m i = if i <? k then C (ck tr) t i else L (ck tr) m i).
  { intros i. rewrite (si_L _ _ I m i). unfold expL. rewrite Hh, Hp. simpl. now rewrite Nat.eqb_refl. }
  apply SI_inside; auto; try discriminate.
  - intros u E. now elim (NF u).
  - intros m' k' [= <- <-]. split; auto.
  - intros m' E. unfold expH. now rewrite E, Hp.
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + rewrite EC. unfold expC. simpl. rewrite Hs. unfold upd. now rewrite Nat.eqb_refl.
    + rewrite expC_other by auto. apply (si_C _ _ I).
  - intros m' i. unfold expL. simpl. destruct (Nat.eq_dec m' m) as [->|Hm].
    + rewrite Hh. unfold upd. rewrite !Nat.eqb_refl. simpl. rewrite Nat.eqb_refl. simpl. destruct (Nat.eqb_spec i k) as [->|Hi].
      * destruct (Nat.ltb_spec k (S k)); [apply EC|lia].
      * rewrite ltb_S by auto. apply EL.
    + unfold upd at 1. destruct (Nat.eqb_spec m' m); [congruence|]. rewrite (si_L _ _ I m' i). unfold expL.
      destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. rewrite Hp. simpl.
      destruct (Nat.eqb_spec m m'); [congruence|auto].
Qed.

Lemma SI_fork_entry g tr t u k : SI g tr -> gP g t = SFork u k -> k < N ->
  SI (mkG (upd (gC g) u (upd (gC g u) k (Nat.max (gC g u k) (gC g t k)))) (gL g) (gV g) (upd (gP g) t (SFork u (S k))) (gH g) (gS g)) tr.
Proof.
  intros I Hp Hk. destruct (si_run _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_fork _ _ I t u k Hp) as (Hu & Hul & _).
  assert (Hne : u <> t) by (intros ->; congruence).
  assert (EC : forall i, gC g t i = C (ck tr) t i) by (intros i; rewrite (si_C _ _ I t i); unfold expC; now rewrite Hs, Hp).
  assert (EU : forall i, gC g u i = if i <? k then Nat.max (C (ck tr) u i) (C (ck tr) t i) else C (ck tr) u i).
  { intros i. rewrite (si_C _ _ I u i). unfold expC. rewrite Hu, Hp. simpl. now rewrite Nat.eqb_refl. }
  apply SI_inside; auto; try discriminate.
  - intros u' k' [= <- <-]. split; auto.
  - intros u' E. destruct (si_forking _ _ I u' t E) as [k' Hk']. assert (u' = u) by congruence. subst. eauto.
  - intros m' E. unfold expH. now rewrite E, Hp.
  - intros v i. destruct (Nat.eq_dec v u) as [->|Hv].
    + unfold expC. simpl. rewrite Hu. unfold upd. rewrite !Nat.eqb_refl. simpl. rewrite Nat.eqb_refl. simpl.
      destruct (Nat.eqb_spec i k) as [->|Hi].
      * rewrite EU, EC, Nat.ltb_irrefl. destruct (Nat.ltb_spec k (S k)); [auto|lia].
      * rewrite ltb_S by auto. apply EU.
    + unfold upd at 1. destruct (Nat.eqb_spec v u); [congruence|]. destruct (Nat.eq_dec v t) as [->|Hvt].
      * rewrite EC. unfold expC. simpl. rewrite Hs. unfold upd. now rewrite Nat.eqb_refl.
      * rewrite expC_other; [apply (si_C _ _ I)|auto|]. intros E. destruct (si_forking _ _ I v t E) as [k' Hk']. congruence.
  - intros m' i. rewrite (si_L _ _ I m' i). unfold expL. simpl. destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto.
    subst. now rewrite Hp.
Qed.

Lemma SI_join g tr t u : SI g tr -> t < N -> u < N -> gP g t = Idle -> gS g t = Running -> gS g u = Exited ->
  SI (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SJoin u 0)) (gH g) (gS g)) tr.
Proof.
  intros I Ht Hu Hp Hs Hx. assert (NF : forall v, gS g v <> Forking t) by (intros v; notfork I).
  apply SI_inside; auto; try discriminate.
  - intros v E. now elim (NF v).
  - intros u' k' [= <- <-]. repeat split; auto. lia.
  - intros m' E. unfold expH. now rewrite E, Hp.
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + rewrite (si_C _ _ I t i). unfold expC. simpl. rewrite Hs, Hp. unfold upd. now rewrite Nat.eqb_refl.
    + rewrite expC_other by auto. apply (si_C _ _ I).
  - intros m' i. rewrite (si_L _ _ I m' i). unfold expL. simpl. destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto.
    subst. now rewrite Hp.
Qed.

Lemma SI_join_entry g tr t u k : SI g tr -> gP g t = SJoin u k -> k < N ->
  SI (mkG (upd (gC g) t (upd (gC g t) k (Nat.max (gC g t k) (gC g u k)))) (gL g) (gV g) (upd (gP g) t (SJoin u (S k))) (gH g) (gS g)) tr.
Proof.
  intros I Hp Hk. destruct (si_run _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_join _ _ I t u k Hp) as (Hu & Hul & _).
  assert (NF : forall v, gS g v <> Forking t) by (intros v; notfork I).
  assert (Hi : gP g u = Idle) by (apply (idle g tr u I); congruence).
  assert (EC : forall i, gC g t i = if i <? k then Nat.max (C (ck tr) t i) (C (ck tr) u i) else C (ck tr) t i).
  { intros i. rewrite (si_C _ _ I t i). unfold expC. now rewrite Hs, Hp. }
  assert (EU : gC g u k = C (ck tr) u k) by (rewrite (si_C _ _ I u k); unfold expC; now rewrite Hu, Hi).
  apply SI_inside; auto; try discriminate.
  - intros v E. now elim (NF v).
  - intros u' k' [= <- <-]. repeat split; auto.
  - intros m' E. unfold expH. now rewrite E, Hp.
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + unfold expC. simpl. rewrite Hs. unfold upd. rewrite Nat.eqb_refl. simpl. destruct (Nat.eqb_spec i k) as [->|Hik].
      * rewrite EC, EU, Nat.ltb_irrefl. destruct (Nat.ltb_spec k (S k)); [auto|lia].
      * rewrite ltb_S by auto. apply EC.
    + rewrite expC_other by auto. unfold upd. destruct (Nat.eqb_spec v t); [congruence|]. apply (si_C _ _ I).
  - intros m' i. rewrite (si_L _ _ I m' i). unfold expL. simpl. destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto.
    subst. now rewrite Hp.
Qed.
End SI.
