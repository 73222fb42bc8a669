(** Where the handlers of synchronisation take effect: the trace grows by the operation, and the clocks are those of the rules again. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors OnlineRules Handlers HandlersSync.

Section Effect.
Variable N : nat.
Notation SI := (SI N).

Lemma expC_sync g tr C' L' V' t p' H' s' v i : SI g tr -> gS g t = Running -> v <> t -> gS g v <> Forking t ->
  (forall w i, w <> t -> C s' w i = C (ck tr) w i) -> (forall m k i, gP g v = SAcq m k -> L s' m i = L (ck tr) m i) ->
  expC (mkG C' L' V' (upd (gP g) t p') H' (gS g)) s' v i = expC g (ck tr) v i.
Proof.
  intros I Hs Hv Hf EC EL. unfold expC. simpl.
  assert (P : partC s' (gP g v) v i = partC (ck tr) (gP g v) v i).
  { destruct (gP g v) eqn:Ep; simpl; rewrite ?(EC v i Hv); auto.
    - now rewrite (EL m k i eq_refl).
    - destruct (si_join _ _ _ I v u k Ep) as (Hu & _). rewrite (EC u i); auto. intros ->. congruence. }
  assert (Q : upd (gP g) t p' v = gP g v) by (unfold upd; destruct (Nat.eqb_spec v t); congruence).
  destruct (gS g v) as [|w| |] eqn:Ev; rewrite ?Q; auto.
  assert (Hw : w <> t) by congruence. unfold upd. destruct (Nat.eqb_spec w t); [congruence|].
  destruct (gP g w); simpl; rewrite ?(EC v i Hv), ?(EC w i Hw); auto.
Qed.
Lemma expL_sync g tr C' L' V' t p' S' s' m i : gH g m <> Some t ->
  (forall w i, w <> t -> C s' w i = C (ck tr) w i) -> L s' m i = L (ck tr) m i ->
  expL (mkG C' L' V' (upd (gP g) t p') (gH g) S') s' m i = expL g (ck tr) m i.
Proof.
  intros Hh EC EL. unfold expL. simpl. destruct (gH g m) as [w|]; auto. assert (Hw : w <> t) by congruence.
  unfold upd. destruct (Nat.eqb_spec w t); [congruence|]. destruct (gP g w); simpl; rewrite ?EL, ?(EC w i Hw); auto.
Qed.

(** The facts of SI that say only where threads are; t goes to p', which is about nothing. *)
Lemma SI_ends g tr C' L' t p' tr' : SI g tr -> gS g t = Running -> t < N -> neutral p' = true ->
  (forall u, gS g u <> Forking t) ->
  feasible tr' -> (forall m, holder tr' m = expH (mkG C' L' (gV g) (upd (gP g) t p') (gH g) (gS g)) m) ->
  (forall u, joined tr' u -> gS g u = Exited) ->
  (forall v i, C' v i = expC (mkG C' L' (gV g) (upd (gP g) t p') (gH g) (gS g)) (ck tr') v i) ->
  (forall m i, L' m i = expL (mkG C' L' (gV g) (upd (gP g) t p') (gH g) (gS g)) (ck tr') m i) ->
  (forall v i, v < N -> N <= i -> C (ck tr') v i = 0) -> (forall m i, N <= i -> L (ck tr') m i = 0) ->
  SI (mkG C' L' (gV g) (upd (gP g) t p') (gH g) (gS g)) tr'.
Proof.
  intros I Hs Ht Hp NF F FH FJ FC FL Z1 Z2.
  assert (EP : forall v p, neutral p = false -> upd (gP g) t p' v = p -> gP g v = p).
  { intros v p Hn. unfold upd. destruct (Nat.eqb_spec v t); auto. intros ->. congruence. }
  constructor; auto; simpl.
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_run _ _ _ I v); auto.
  - intros v u k H. apply EP in H; auto. apply (si_fork _ _ _ I v u k H).
  - intros u v H. destruct (si_forking _ _ _ I u v H) as [k Hk]. exists k. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now elim (NF u).
  - intros v u k H. apply EP in H; auto. apply (si_join _ _ _ I v u k H).
  - intros v m k H. apply EP in H; auto. apply (si_acq _ _ _ I v m k H).
  - intros v m k H. apply EP in H; auto. apply (si_rel _ _ _ I v m k H).
  - intros v m H. apply EP in H; auto. apply (si_relu _ _ _ I v m H).
Qed.

Lemma running_not_joined g tr t : SI g tr -> gS g t = Running -> ~ joined tr t.
Proof. intros I Hs K. apply (si_joined _ _ _ I) in K. congruence. Qed.

Lemma SI_acq_done g tr t m : SI g tr -> gP g t = SAcq m N ->
  SI (mkG (gC g) (gL g) (gV g) (upd (gP g) t (Ret true)) (gH g) (gS g)) (tr ++ [Acq t m]).
Proof.
  intros I Hp. destruct (si_run _ _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_acq _ _ _ I t m N Hp) as [Hh _].
  assert (NF : forall v, gS g v <> Forking t) by (intros v; eapply not_forking; [exact I|]; congruence).
  assert (E1 : forall w i, w <> t -> C (ck (tr ++ [Acq t m])) w i = C (ck tr) w i).
  { intros w i Hw. rewrite ck_snoc. simpl. unfold upd. destruct (Nat.eqb_spec w t); congruence. }
  assert (E2 : forall i, C (ck (tr ++ [Acq t m])) t i = Nat.max (C (ck tr) t i) (L (ck tr) m i)).
  { intros i. rewrite ck_snoc. simpl. unfold upd. now rewrite Nat.eqb_refl. }
  assert (E3 : forall m' i, L (ck (tr ++ [Acq t m])) m' i = L (ck tr) m' i) by (intros; now rewrite ck_snoc).
  apply (SI_ends g tr); auto.
  - constructor; [apply I|]. split; [eapply running_not_joined; eauto|]. simpl. rewrite (si_hold _ _ _ I m). unfold expH. now rewrite Hh, Hp, Nat.eqb_refl.
  - intros m'. rewrite holder_snoc, (si_hold _ _ _ I m'). unfold expH. simpl. destruct (Nat.eqb_spec m m') as [<-|Hm].
    + rewrite Hh. unfold upd. now rewrite Nat.eqb_refl.
    + destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. rewrite Hp. destruct (Nat.eqb_spec m m'); [congruence|auto].
  - intros u K. apply joined_snoc in K as [K|[v [=]]]. now apply (si_joined _ _ _ I).
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + unfold expC. simpl. rewrite Hs. unfold upd. rewrite Nat.eqb_refl. simpl. rewrite E2, (si_C _ _ _ I t i). unfold expC. rewrite Hs, Hp. simpl.
      destruct (Nat.ltb_spec i N); auto. rewrite (si_zC _ _ _ I t i), (si_zL _ _ _ I m i); auto.
    + rewrite (expC_sync g tr); auto. apply (si_C _ _ _ I).
  - intros m' i. rewrite (si_L _ _ _ I m' i). destruct (gH g m') as [w|] eqn:Eh; [destruct (Nat.eq_dec w t) as [->|Hw]|].
    + unfold expL. simpl. rewrite Eh, Hp. unfold upd. rewrite Nat.eqb_refl. simpl. now rewrite E3.
    + symmetry. apply expL_sync; auto. rewrite Eh. congruence.
    + symmetry. apply expL_sync; auto. rewrite Eh. congruence.
  - intros v i Hv Hi. destruct (Nat.eq_dec v t) as [->|Hne]; [rewrite E2, (si_zC _ _ _ I t i), (si_zL _ _ _ I m i); auto|].
    rewrite E1 by auto. now apply (si_zC _ _ _ I).
  - intros m' i Hi. rewrite E3. now apply (si_zL _ _ _ I).
Qed.

Lemma SI_join_done g tr t u : SI g tr -> gP g t = SJoin u N ->
  SI (mkG (gC g) (gL g) (gV g) (upd (gP g) t (Ret true)) (gH g) (gS g)) (tr ++ [Join t u]).
Proof.
  intros I Hp. destruct (si_run _ _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_join _ _ _ I t u N Hp) as (Hu & Hul & _).
  assert (NF : forall v, gS g v <> Forking t) by (intros v; eapply not_forking; [exact I|]; congruence).
  assert (E1 : forall w i, w <> t -> C (ck (tr ++ [Join t u])) w i = C (ck tr) w i).
  { intros w i Hw. rewrite ck_snoc. simpl. unfold upd. destruct (Nat.eqb_spec w t); congruence. }
  assert (E2 : forall i, C (ck (tr ++ [Join t u])) t i = Nat.max (C (ck tr) t i) (C (ck tr) u i)).
  { intros i. rewrite ck_snoc. simpl. unfold upd. now rewrite Nat.eqb_refl. }
  assert (E3 : forall m' i, L (ck (tr ++ [Join t u])) m' i = L (ck tr) m' i) by (intros; now rewrite ck_snoc).
  apply (SI_ends g tr); auto.
  - constructor; [apply I|]. split; [eapply running_not_joined; eauto|exact Logic.I].
  - intros m'. rewrite holder_snoc, (si_hold _ _ _ I m'). unfold expH. simpl.
    destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now rewrite Hp.
  - intros w K. apply joined_snoc in K as [K|[v [= _ <-]]]; [now apply (si_joined _ _ _ I)|auto].
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + unfold expC. simpl. rewrite Hs. unfold upd. rewrite Nat.eqb_refl. simpl. rewrite E2, (si_C _ _ _ I t i). unfold expC. rewrite Hs, Hp. simpl.
      destruct (Nat.ltb_spec i N); auto. rewrite (si_zC _ _ _ I t i), (si_zC _ _ _ I u i); auto.
    + rewrite (expC_sync g tr); auto. apply (si_C _ _ _ I).
  - intros m' i. rewrite (si_L _ _ _ I m' i). destruct (gH g m') as [w|] eqn:Eh; [destruct (Nat.eq_dec w t) as [->|Hw]|].
    + unfold expL. simpl. rewrite Eh, Hp. unfold upd. rewrite Nat.eqb_refl. simpl. now rewrite E3.
    + symmetry. apply expL_sync; auto. rewrite Eh. congruence.
    + symmetry. apply expL_sync; auto. rewrite Eh. congruence.
  - intros v i Hv Hi. destruct (Nat.eq_dec v t) as [->|Hne]; [rewrite E2, (si_zC _ _ _ I t i), (si_zC _ _ _ I u i); auto|].
    rewrite E1 by auto. now apply (si_zC _ _ _ I).
  - intros m' i Hi. rewrite E3. now apply (si_zL _ _ _ I).
Qed.

Lemma SI_rel_done g tr t m : SI g tr -> gP g t = SRel m N ->
  SI (mkG (upd (gC g) t (vinc t (gC g t))) (gL g) (gV g) (upd (gP g) t (SRelU m)) (gH g) (gS g)) (tr ++ [Rel t m]).
Proof.
  intros I Hp. destruct (si_run _ _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_rel _ _ _ I t m N Hp) as [Hh _].
  assert (NF : forall v, gS g v <> Forking t) by (intros v; eapply not_forking; [exact I|]; congruence).
  assert (E1 : forall w i, w <> t -> C (ck (tr ++ [Rel t m])) w i = C (ck tr) w i).
  { intros w i Hw. rewrite ck_snoc. simpl. unfold upd. destruct (Nat.eqb_spec w t); congruence. }
  assert (E2 : forall i, C (ck (tr ++ [Rel t m])) t i = vinc t (C (ck tr) t) i).
  { intros i. rewrite ck_snoc. simpl. unfold upd. now rewrite Nat.eqb_refl. }
  assert (E3 : forall m' i, m' <> m -> L (ck (tr ++ [Rel t m])) m' i = L (ck tr) m' i).
  { intros m' i Hm. rewrite ck_snoc. simpl. unfold upd. destruct (Nat.eqb_spec m' m); congruence. }
  assert (E4 : forall i, L (ck (tr ++ [Rel t m])) m i = C (ck tr) t i).
  { intros i. rewrite ck_snoc. simpl. unfold upd. now rewrite Nat.eqb_refl. }
  assert (ET : forall i, gC g t i = C (ck tr) t i) by (intros i; rewrite (si_C _ _ _ I t i); unfold expC; now rewrite Hs, Hp).
  assert (EP : forall v p, v <> t -> upd (gP g) t (SRelU m) v = p -> gP g v = p).
  { intros v p Hv. unfold upd. destruct (Nat.eqb_spec v t); congruence. }
  constructor; simpl.
  - constructor; [apply I|]. split; [eapply running_not_joined; eauto|]. simpl. rewrite (si_hold _ _ _ I m). unfold expH. now rewrite Hh, Hp.
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_run _ _ _ I v); auto.
  - intros v u k H. destruct (Nat.eq_dec v t) as [->|Hv]; [unfold upd in H; rewrite Nat.eqb_refl in H; discriminate|]. apply EP in H; auto. apply (si_fork _ _ _ I v u k H).
  - intros u v H. destruct (si_forking _ _ _ I u v H) as [k Hk]. exists k. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now elim (NF u).
  - intros v u k H. destruct (Nat.eq_dec v t) as [->|Hv]; [unfold upd in H; rewrite Nat.eqb_refl in H; discriminate|]. apply EP in H; auto. apply (si_join _ _ _ I v u k H).
  - intros v m' k H. destruct (Nat.eq_dec v t) as [->|Hv]; [unfold upd in H; rewrite Nat.eqb_refl in H; discriminate|]. apply EP in H; auto. apply (si_acq _ _ _ I v m' k H).
  - intros v m' k H. destruct (Nat.eq_dec v t) as [->|Hv]; [unfold upd in H; rewrite Nat.eqb_refl in H; discriminate|]. apply EP in H; auto. apply (si_rel _ _ _ I v m' k H).
  - intros v m' H. destruct (Nat.eq_dec v t) as [->|Hv]; [unfold upd in H; rewrite Nat.eqb_refl in H; injection H as <-; auto|]. apply EP in H; auto. apply (si_relu _ _ _ I v m' H).
  - intros m'. rewrite holder_snoc, (si_hold _ _ _ I m'). unfold expH. simpl. destruct (Nat.eqb_spec m m') as [<-|Hm].
    + rewrite Hh. unfold upd. now rewrite !Nat.eqb_refl.
    + destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. rewrite Hp. destruct (Nat.eqb_spec m m'); [congruence|auto].
  - intros u K. apply joined_snoc in K as [K|[v [=]]]. now apply (si_joined _ _ _ I).
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + unfold expC. simpl. rewrite Hs. unfold upd at 1 2. rewrite Nat.eqb_refl. simpl. rewrite E2. unfold vinc, upd. rewrite !ET. auto.
    + rewrite (expC_sync g tr); auto; [unfold upd; destruct (Nat.eqb_spec v t); [congruence|]; apply (si_C _ _ _ I)|].
      intros m' k j Ev. apply E3. intros ->. destruct (si_acq _ _ _ I v m k Ev). congruence.
  - intros m' i. destruct (Nat.eq_dec m' m) as [->|Hm].
    + rewrite (si_L _ _ _ I m i). unfold expL. simpl. rewrite Hh, Hp. unfold upd. rewrite Nat.eqb_refl. simpl. rewrite Nat.eqb_refl, E4. simpl.
      destruct (Nat.ltb_spec i N); auto. rewrite (si_zC _ _ _ I t i), (si_zL _ _ _ I m i); auto.
    + rewrite (si_L _ _ _ I m' i). destruct (gH g m') as [w|] eqn:Eh; [destruct (Nat.eq_dec w t) as [->|Hw]|].
      * unfold expL. simpl. rewrite Eh, Hp. unfold upd. rewrite Nat.eqb_refl. simpl. rewrite E3 by auto. destruct (Nat.eqb_spec m m'); [congruence|auto].
      * symmetry. apply expL_sync; auto. rewrite Eh. congruence.
      * symmetry. apply expL_sync; auto. rewrite Eh. congruence.
  - intros v i Hv Hi. destruct (Nat.eq_dec v t) as [->|Hne]; [|rewrite E1 by auto; now apply (si_zC _ _ _ I)].
    rewrite E2. unfold vinc, upd. destruct (Nat.eqb_spec i t); [lia|]. now apply (si_zC _ _ _ I).
  - intros m' i Hi. destruct (Nat.eq_dec m' m) as [->|Hm]; [rewrite E4; now apply (si_zC _ _ _ I)|]. rewrite E3 by auto. now apply (si_zL _ _ _ I).
Qed.

Lemma SI_rel_unlock g tr t m : SI g tr -> gP g t = SRelU m ->
  SI (mkG (gC g) (gL g) (gV g) (upd (gP g) t (Ret true)) (upd (gH g) m None) (gS g)) tr.
Proof.
  intros I Hp. destruct (si_run _ _ _ I t) as [Hs Ht]; [congruence|]. pose proof (si_relu _ _ _ I t m Hp) as Hh.
  assert (NF : forall v, gS g v <> Forking t) by (intros v; eapply not_forking; [exact I|]; congruence).
  assert (EP : forall v p, neutral p = false -> upd (gP g) t (Ret true) v = p -> v <> t /\ gP g v = p).
  { intros v p Hn. unfold upd. destruct (Nat.eqb_spec v t); auto. intros <-. discriminate. }
  constructor; simpl; try apply I.
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|]; [subst v; auto|]. apply (si_run _ _ _ I v); auto.
  - intros v u k H. apply EP in H as [_ H]; auto. apply (si_fork _ _ _ I v u k H).
  - intros u v H. destruct (si_forking _ _ _ I u v H) as [k Hk]. exists k. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now elim (NF u).
  - intros v u k H. apply EP in H as [_ H]; auto. apply (si_join _ _ _ I v u k H).
  - intros v m' k H. apply EP in H as [Hv H]; auto. destruct (si_acq _ _ _ I v m' k H). unfold upd. destruct (Nat.eqb_spec m' m); subst; [congruence|auto].
  - intros v m' k H. apply EP in H as [Hv H]; auto. destruct (si_rel _ _ _ I v m' k H). unfold upd. destruct (Nat.eqb_spec m' m); subst; [congruence|auto].
  - intros v m' H. apply EP in H as [Hv H]; auto. pose proof (si_relu _ _ _ I v m' H). unfold upd. destruct (Nat.eqb_spec m' m); subst; [congruence|auto].
  - intros m'. rewrite (si_hold _ _ _ I m'). unfold expH. simpl. unfold upd at 1. destruct (Nat.eqb_spec m' m) as [->|Hm].
    + now rewrite Hh, Hp, Nat.eqb_refl.
    + destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. rewrite Hp. destruct (Nat.eqb_spec m m'); [congruence|auto].
  - intros v i. destruct (Nat.eq_dec v t) as [->|Hv].
    + rewrite (si_C _ _ _ I t i). unfold expC. simpl. rewrite Hs, Hp. unfold upd. now rewrite Nat.eqb_refl.
    + rewrite expC_other by auto. apply (si_C _ _ _ I).
  - intros m' i. rewrite (si_L _ _ _ I m' i). unfold expL. simpl. unfold upd at 1. destruct (Nat.eqb_spec m' m) as [->|Hm].
    + now rewrite Hh, Hp.
    + destruct (gH g m') as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now rewrite Hp.
Qed.

Lemma SI_fork g tr t u : SI g tr -> t < N -> u < N -> gP g t = Idle -> gS g t = Running -> gS g u = New ->
  SI (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SFork u 0)) (gH g) (upd (gS g) u (Forking t))) tr.
Proof.
  intros I Ht Hu Hp Hs Hn. assert (Hne : t <> u) by congruence.
  assert (Hi : gP g u = Idle) by (apply (idle N g tr u I); congruence).
  assert (NF : forall v, gS g v <> Forking t) by (intros v; eapply not_forking; [exact I|]; congruence).
  assert (EP : forall v p, p <> SFork u 0 -> upd (gP g) t (SFork u 0) v = p -> v <> t /\ gP g v = p).
  { intros v p Hn0. unfold upd. destruct (Nat.eqb_spec v t); auto. congruence. }
  assert (ES : forall v, v <> u -> upd (gS g) u (Forking t) v = gS g v) by (intros v Hv; unfold upd; destruct (Nat.eqb_spec v u); congruence).
  assert (EU : upd (gS g) u (Forking t) u = Forking t) by (unfold upd; now rewrite Nat.eqb_refl).
  constructor; simpl; try apply I.
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|Hv]; [subst v; rewrite ES; auto|].
    destruct (Nat.eq_dec v u) as [->|]; [congruence|]. rewrite ES by auto. apply (si_run _ _ _ I v); auto.
  - intros v w k H. destruct (Nat.eq_dec v t) as [->|Hv].
    + unfold upd at 1 in H. rewrite Nat.eqb_refl in H. injection H as <- <-. rewrite EU. repeat split; auto. lia.
    + unfold upd at 1 in H. destruct (Nat.eqb_spec v t); [congruence|]. destruct (si_fork _ _ _ I v w k H) as (A & B & D).
      rewrite ES; auto. congruence.
  - intros w v H. destruct (Nat.eq_dec w u) as [->|Hw].
    + rewrite EU in H. injection H as <-. exists 0. unfold upd. now rewrite Nat.eqb_refl.
    + rewrite ES in H by auto. destruct (si_forking _ _ _ I w v H) as [k Hk]. exists k. unfold upd. destruct (Nat.eqb_spec v t); auto. congruence.
  - intros v w k H. apply EP in H as [Hv H]; [|discriminate]. destruct (si_join _ _ _ I v w k H) as (A & B & D). rewrite ES; auto. congruence.
  - intros v m k H. apply EP in H as [Hv H]; [|discriminate]. apply (si_acq _ _ _ I v m k H).
  - intros v m k H. apply EP in H as [Hv H]; [|discriminate]. apply (si_rel _ _ _ I v m k H).
  - intros v m H. apply EP in H as [Hv H]; [|discriminate]. apply (si_relu _ _ _ I v m H).
  - intros m. rewrite (si_hold _ _ _ I m). unfold expH. simpl. destruct (gH g m) as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now rewrite Hp.
  - intros w K. apply (si_joined _ _ _ I) in K. rewrite ES; auto. congruence.
  - intros v i. rewrite (si_C _ _ _ I v i). unfold expC. simpl. destruct (Nat.eq_dec v u) as [->|Hv].
    + rewrite EU, Hn, Hi. unfold upd. rewrite Nat.eqb_refl. simpl. now rewrite andb_false_r.
    + rewrite ES by auto. destruct (gS g v) as [|w| |] eqn:Ev; unfold upd; try (destruct (Nat.eqb_spec v t); subst; [rewrite Hp|]; reflexivity).
      destruct (Nat.eqb_spec w t); auto. subst. now elim (NF v).
  - intros m i. rewrite (si_L _ _ _ I m i). unfold expL. simpl. destruct (gH g m) as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now rewrite Hp.
Qed.

Lemma SI_fork_done g tr t u : SI g tr -> gP g t = SFork u N ->
  SI (mkG (upd (gC g) t (vinc t (gC g t))) (gL g) (gV g) (upd (gP g) t (Ret true)) (gH g) (upd (gS g) u Running)) (tr ++ [Fork t u]).
Proof.
  intros I Hp. destruct (si_run _ _ _ I t) as [Hs Ht]; [congruence|]. destruct (si_fork _ _ _ I t u N Hp) as (Hu & Hul & _).
  assert (Hne : t <> u) by congruence.
  assert (Hi : gP g u = Idle) by (apply (idle N g tr u I); congruence).
  assert (E1 : forall w i, w <> t -> w <> u -> C (ck (tr ++ [Fork t u])) w i = C (ck tr) w i).
  { intros w i Hw Hw'. rewrite ck_snoc. simpl. unfold upd. destruct (Nat.eqb_spec w t); [congruence|]. destruct (Nat.eqb_spec w u); congruence. }
  assert (E2 : forall i, C (ck (tr ++ [Fork t u])) t i = vinc t (C (ck tr) t) i).
  { intros i. rewrite ck_snoc. simpl. unfold upd at 1. now rewrite Nat.eqb_refl. }
  assert (E4 : forall i, C (ck (tr ++ [Fork t u])) u i = Nat.max (C (ck tr) u i) (C (ck tr) t i)).
  { intros i. rewrite ck_snoc. simpl. unfold upd. destruct (Nat.eqb_spec u t); [congruence|]. now rewrite Nat.eqb_refl. }
  assert (E3 : forall m' i, L (ck (tr ++ [Fork t u])) m' i = L (ck tr) m' i) by (intros; now rewrite ck_snoc).
  assert (ET : forall i, gC g t i = C (ck tr) t i) by (intros i; rewrite (si_C _ _ _ I t i); unfold expC; now rewrite Hs, Hp).
  assert (EP : forall v p, neutral p = false -> upd (gP g) t (Ret true) v = p -> v <> t /\ gP g v = p).
  { intros v p Hn. unfold upd. destruct (Nat.eqb_spec v t); auto. intros <-. discriminate. }
  assert (ES : forall v, v <> u -> upd (gS g) u Running v = gS g v) by (intros v Hv; unfold upd; destruct (Nat.eqb_spec v u); congruence).
  assert (EU : upd (gS g) u Running u = Running) by (unfold upd; now rewrite Nat.eqb_refl).
  assert (Only : forall v, gS g v = Forking t -> v = u).
  { intros v E. destruct (si_forking _ _ _ I v t E) as [k Hk]. congruence. }
  constructor; simpl.
  - constructor; [apply I|]. split; [eapply running_not_joined; eauto|exact Logic.I].
  - intros v H. unfold upd in H. destruct (Nat.eqb_spec v t) as [Ev|Hv]; [subst v; rewrite ES; auto|].
    destruct (Nat.eq_dec v u) as [->|]; [congruence|]. rewrite ES by auto. apply (si_run _ _ _ I v); auto.
  - intros v w k H. apply EP in H as [Hv H]; auto. destruct (si_fork _ _ _ I v w k H) as (A & B & D). rewrite ES; auto. congruence.
  - intros w v H. destruct (Nat.eq_dec w u) as [->|Hw]; [congruence|]. rewrite ES in H by auto.
    destruct (si_forking _ _ _ I w v H) as [k Hk]. exists k. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now elim Hw; auto.
  - intros v w k H. apply EP in H as [Hv H]; auto. destruct (si_join _ _ _ I v w k H) as (A & B & D). rewrite ES; auto. congruence.
  - intros v m k H. apply EP in H as [Hv H]; auto. apply (si_acq _ _ _ I v m k H).
  - intros v m k H. apply EP in H as [Hv H]; auto. apply (si_rel _ _ _ I v m k H).
  - intros v m H. apply EP in H as [Hv H]; auto. apply (si_relu _ _ _ I v m H).
  - intros m. rewrite holder_snoc, (si_hold _ _ _ I m). unfold expH. simpl. destruct (gH g m) as [v|]; auto. unfold upd. destruct (Nat.eqb_spec v t); auto. subst. now rewrite Hp.
  - intros w K. apply joined_snoc in K as [K|[v [=]]]. apply (si_joined _ _ _ I) in K. rewrite ES; auto. congruence.
  - intros v i. unfold expC. simpl. destruct (Nat.eq_dec v u) as [->|Hv]; [|destruct (Nat.eq_dec v t) as [->|Hvt]].
    + rewrite EU. unfold upd. destruct (Nat.eqb_spec u t); [congruence|]. rewrite Hi. simpl. rewrite E4, (si_C _ _ _ I u i). unfold expC.
      rewrite Hu, Hp. simpl. rewrite Nat.eqb_refl. simpl. destruct (Nat.ltb_spec i N); auto.
      rewrite (si_zC _ _ _ I t i), (si_zC _ _ _ I u i); auto.
    + rewrite ES, Hs by auto. unfold upd at 1 2. rewrite Nat.eqb_refl. simpl. rewrite E2. unfold vinc, upd. rewrite !ET. auto.
    + rewrite ES by auto. unfold upd at 1. destruct (Nat.eqb_spec v t); [congruence|]. rewrite (si_C _ _ _ I v i). unfold expC.
      assert (P : partC (ck (tr ++ [Fork t u])) (gP g v) v i = partC (ck tr) (gP g v) v i).
      { destruct (gP g v) eqn:Ep; simpl; rewrite ?(E1 v i Hvt Hv), ?E3; auto.
        destruct (si_join _ _ _ I v u0 k Ep) as (Hx & _). rewrite (E1 u0 i); auto; congruence. }
      assert (Q : upd (gP g) t (Ret true) v = gP g v) by (unfold upd; destruct (Nat.eqb_spec v t); congruence).
      destruct (gS g v) as [|w| |] eqn:Ev; rewrite ?Q; auto.
      assert (Hw : w <> t) by (intros ->; now elim Hv; auto). unfold upd. destruct (Nat.eqb_spec w t); [congruence|].
      destruct (si_forking _ _ _ I v w Ev) as [k Hk]. rewrite Hk. simpl. rewrite (E1 v i Hvt Hv), (E1 w i Hw); auto.
      intros ->. congruence.
  - intros m i. rewrite (si_L _ _ _ I m i). unfold expL. simpl. destruct (gH g m) as [v|] eqn:Eh; [|now rewrite E3].
    unfold upd. destruct (Nat.eqb_spec v t); [subst; rewrite Hp; simpl; now rewrite E3|].
    destruct (gP g v) eqn:Ep; simpl; rewrite ?E3; auto. destruct (_ && _); auto. rewrite E1; auto. intros ->. congruence.
  - intros v i Hv Hi'. destruct (Nat.eq_dec v t) as [->|]; [|destruct (Nat.eq_dec v u) as [->|]].
    + rewrite E2. unfold vinc, upd. destruct (Nat.eqb_spec i t); [lia|]. now apply (si_zC _ _ _ I).
    + rewrite E4, (si_zC _ _ _ I u i), (si_zC _ _ _ I t i); auto.
    + rewrite E1 by auto. now apply (si_zC _ _ _ I).
  - intros m i Hi'. rewrite E3. now apply (si_zL _ _ _ I).
Qed.

Lemma SI_exit g tr t : SI g tr -> gP g t = Idle -> gS g t = Running ->
  SI (mkG (gC g) (gL g) (gV g) (gP g) (gH g) (upd (gS g) t Exited)) (tr ++ [Exit t]).
Proof.
  intros I Hp Hs.
  assert (ES : forall v, v <> t -> upd (gS g) t Exited v = gS g v) by (intros v Hv; unfold upd; destruct (Nat.eqb_spec v t); congruence).
  assert (EU : upd (gS g) t Exited t = Exited) by (unfold upd; now rewrite Nat.eqb_refl).
  assert (Ek : ck (tr ++ [Exit t]) = ck tr) by (now rewrite ck_snoc).
  constructor; simpl; try rewrite Ek; try apply I.
  - constructor; [apply I|]. split; [eapply running_not_joined; eauto|exact Logic.I].
  - intros v H. rewrite ES; [apply (si_run _ _ _ I v); auto|]. congruence.
  - intros v u k H. destruct (si_fork _ _ _ I v u k H) as (A & B & D). rewrite ES; auto. congruence.
  - intros u v H. destruct (Nat.eq_dec u t) as [->|Hu]; [congruence|]. rewrite ES in H by auto. apply (si_forking _ _ _ I u v H).
  - intros v u k H. destruct (si_join _ _ _ I v u k H) as (A & B & D). destruct (Nat.eq_dec u t) as [->|Hu]; [rewrite EU; auto|rewrite ES; auto].
  - intros m. rewrite holder_snoc. apply (si_hold _ _ _ I m).
  - intros u K. apply joined_snoc in K as [K|[v [=]]]. apply (si_joined _ _ _ I) in K. destruct (Nat.eq_dec u t) as [->|Hu]; [auto|rewrite ES; auto].
  - intros v i. rewrite (si_C _ _ _ I v i). unfold expC. simpl. destruct (Nat.eq_dec v t) as [->|Hv]; [rewrite EU, Hs; auto|rewrite ES; auto].
Qed.
End Effect.
