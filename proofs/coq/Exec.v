(** Executable versions over finite maps, proved equal to the models, with executable feasibility checks: what is extracted and run against the Rust code. *)
From Coq Require Import List Arith Lia Bool OrderedTypeEx FMapAVL FMapFacts.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VectorClock VectorClockRules VerifiedFT FastTrack OnlineRules.
From Deadheat Require Import ChannelTrace ChannelSync HbSets HbSetDetectors.

Module M := FMapAVL.Make(Nat_as_OT).
Module MF := FMapFacts.WFacts_fun(Nat_as_OT)(M).

(** vectors as lists *)
Fixpoint ljoin (a b : lvc) : lvc :=
  match a, b with
  | [], _ => b
  | _, [] => a
  | x :: a', y :: b' => (if x <=? y then y else x) :: ljoin a' b'
  end.
Definition linc (t : tid) (v : lvc) : lvc := lset v t (S (lget v t)).

Lemma lget_ljoin a : forall b t, lget (ljoin a b) t = Nat.max (lget a t) (lget b t).
Proof.
  unfold lget. induction a as [|x a IH]; intros [|y b] [|t]; simpl; auto; try lia.
  destruct (Nat.leb_spec x y); lia.
Qed.
Lemma lget_linc t v u : lget (linc t v) u = vinc t (lget v) u.
Proof. unfold linc, vinc, upd. now rewrite lget_lset. Qed.

Definition mget {A} (d : nat -> A) (m : M.t A) (k : nat) : A :=
  match M.find k m with Some v => v | None => d k end.
Lemma mget_add {A} (d : nat -> A) m k v k' : mget d (M.add k v m) k' = upd (mget d m) k v k'.
Proof.
  unfold mget, upd. rewrite MF.add_o. destruct (Nat_as_OT.eq_dec k k') as [E|E].
  - compute in E. subst. now rewrite Nat.eqb_refl.
  - destruct (Nat.eqb_spec k' k); [subst; now elim E|auto].
Qed.

Definition c0 (t : tid) : lvc := lset [] t 1.
Record esync := mkE { eC : M.t lvc; eL : M.t lvc }.
Definition getC (s : esync) := mget c0 (eC s).
Definition getL (s : esync) := mget (fun _ => []) (eL s).

Definition esync_step (jinc : bool) (s : esync) (a : op) : esync :=
  match a with
  | Rd _ _ | Wr _ _ | Exit _ => s
  | Acq t m => mkE (M.add t (ljoin (getC s t) (getL s m)) (eC s)) (eL s)
  | Rel t m => let ct := getC s t in mkE (M.add t (linc t ct) (eC s)) (M.add m ct (eL s))
  | Fork t u => let ct := getC s t in
      mkE (M.add t (linc t ct) (M.add u (ljoin (getC s u) ct) (eC s))) (eL s)
  | Join t u =>
      let cs := M.add t (ljoin (getC s t) (getC s u)) (eC s) in
      mkE (if jinc then M.add u (linc u (mget c0 cs u)) cs else cs) (eL s)
  end.

Definition veq (a : lvc) (b : vc) := forall t, lget a t = b t.
Definition simS (s : esync) (s' : sync) : Prop :=
  (forall t, veq (getC s t) (C s' t)) /\ (forall m, veq (getL s m) (L s' m)).

Lemma simS_step j s s' a : simS s s' -> simS (esync_step j s a) (sync_step j s' a).
Proof.
  intros [HC HL]. unfold simS, getC, getL, veq in *.
  destruct a as [t x|t x|t m|t m|t u|t u|t]; simpl; auto;
  [| | |destruct j]; (split; intros k q; rewrite ?mget_add; unfold upd;
  repeat (match goal with |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst end);
  rewrite ?lget_ljoin, ?lget_linc; unfold vjoin, vinc, upd; rewrite ?mget_add; unfold upd;
  rewrite ?Nat.eqb_refl; 
  repeat (match goal with |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst end);
  rewrite ?lget_ljoin; unfold vjoin, getC, getL; rewrite ?HC, ?HL; auto; try congruence).
Qed.

(** detectors only look at c pointwise *)
Definition vc_ext (D : detector) : Prop := forall c c' t s, (forall u, c u = c' u) ->
  rdv D c t s = rdv D c' t s /\ wrv D c t s = wrv D c' t s.

Lemma VerifiedFT_ext : vc_ext VerifiedFT.
Proof.
  intros c c' t s H. simpl. unfold vft_rd, vft_wr, ele. rewrite !H, (lle_ext _ _ _ H).
  destruct (vR s); rewrite ?H; auto.
Qed.
Lemma FastTrack_ext : vc_ext FastTrack.
Proof.
  intros c c' t s H. simpl. unfold ft_rd, ft_wr, vft_rd, ele. rewrite !H, (lle_ext _ _ _ H).
  destruct (vR s); rewrite ?H; auto.
Qed.
Lemma VectorClock_ext : vc_ext VectorClock.
Proof.
  intros c c' t [R W] H. simpl. rewrite !H, !(lle_ext _ _ _ H). auto.
Qed.

Section E.
Variable D : detector.
Hypothesis Dext : vc_ext D.

Record estate := mkES { esy : esync; evar : M.t (option (VS D)) }.
Definition e0 : estate := mkES (mkE (M.empty _) (M.empty _)) (M.empty _).
Definition vget (s : estate) := mget (fun _ => Some (v0 D)) (evar s).

(** one step; the boolean tells whether this event was flagged now *)
Definition estep (s : estate) (a : op) : estate * bool :=
  match a with
  | Rd t x => match vget s x with
              | Some v => let cl := getC (esy s) t in let r := rdv D (lget cl) t v in
                          (mkES (esy s) (M.add x r (evar s)), match r with None => true | _ => false end)
              | None => (s, false)
              end
  | Wr t x => match vget s x with
              | Some v => let cl := getC (esy s) t in let r := wrv D (lget cl) t v in
                          (mkES (esy s) (M.add x r (evar s)), match r with None => true | _ => false end)
              | None => (s, false)
              end
  | _ => (mkES (esync_step (jinc D) (esy s) a) (evar s), false)
  end.
Definition erun (tr : trace) : estate := fold_left (fun s a => fst (estep s a)) tr e0.

Definition simE (s : estate) (s' : dstate D) : Prop :=
  simS (esy s) (dsync _ s') /\ forall x, vget s x = dvar _ s' x.

Lemma simE_step s s' a : simE s s' -> simE (fst (estep s a)) (dstep D s' a).
Proof.
  intros [HS HV]. destruct a as [t x|t x|t m|t m|t u|t u|t].
  1,2: unfold dstep; simpl; rewrite <- (HV x); destruct (vget s x) as [v|] eqn:E; simpl;
    [ split; [exact HS|]; intros y; unfold vget; simpl; rewrite mget_add; unfold upd;
      destruct (Nat.eqb_spec y x); [|apply HV];
      destruct (Dext (lget (getC (esy s) t)) (C (dsync _ s') t) t v); [intros u; apply HS|auto]
    | split; [exact HS|]; intros y; simpl; unfold upd; destruct (Nat.eqb_spec y x); [subst; auto|apply HV] ].
  all: split; [apply (simS_step (jinc D) (esy s) (dsync _ s') _ HS)|exact HV].
Qed.

Lemma simE_0 : simE e0 (d0 D).
Proof.
  split; [split|]; intros k; try intros q; unfold getC, getL, vget, mget; simpl; auto.
  - unfold c0. rewrite lget_lset. unfold upd, vbot. now rewrite lget_nil.
  - now rewrite lget_nil.
Qed.

Theorem erun_sim tr : simE (erun tr) (drun D tr).
Proof.
  unfold erun, drun. generalize e0 (d0 D) simE_0. induction tr as [|a tr IH]; simpl; auto.
  intros s s' H. apply IH. now apply simE_step.
Qed.

Theorem erun_precise tr x : feasible tr -> (vget (erun tr) x = None <-> race_on tr x).
Proof. intros F. destruct (erun_sim tr) as [_ H]. rewrite H. now apply precise. Qed.
End E.

Lemma VCj_ext j : vc_ext (VCj j).
Proof. intros c c' t [R W] H. simpl. rewrite !H, !(lle_ext _ _ _ H). auto. Qed.
Lemma Online_ext : vc_ext Online.
Proof. intros c c' t s H. simpl. now rewrite (o_rd_ext c c' t s H), (o_wr_ext c c' t s H). Qed.

Theorem exec_vector_clock tr x : feasible tr -> (vget VectorClock (erun VectorClock tr) x = None <-> race_on tr x).
Proof. apply erun_precise, VectorClock_ext. Qed.
Theorem exec_multi_join tr x : feasible tr -> (vget (VCj false) (erun (VCj false) tr) x = None <-> race_on tr x).
Proof. apply erun_precise, VCj_ext. Qed.
Theorem exec_fasttrack tr x : feasible tr -> (vget FastTrack (erun FastTrack tr) x = None <-> race_on tr x).
Proof. apply erun_precise, FastTrack_ext. Qed.
Theorem exec_verifiedft tr x : feasible tr -> (vget VerifiedFT (erun VerifiedFT tr) x = None <-> race_on tr x).
Proof. apply erun_precise, VerifiedFT_ext. Qed.
Theorem exec_online tr x : feasible tr -> (vget Online (erun Online tr) x = None <-> race_on tr x).
Proof. apply erun_precise, Online_ext. Qed.

(** ** Feasibility, decided *)
Definition okb (tr : trace) (a : op) : bool :=
  negb (existsb (fun b => match b with Join _ u => u =? thr a | _ => false end) tr) &&
  match a with
  | Acq t m => match holder tr m with None => true | _ => false end
  | Rel t m => match holder tr m with Some u => u =? t | _ => false end
  | _ => true
  end.
Fixpoint feasibleb_from (done todo : trace) : bool :=
  match todo with [] => true | a :: r => okb done a && feasibleb_from (done ++ [a]) r end.
Definition feasibleb (tr : trace) : bool := feasibleb_from [] tr.

Lemma joinedb_iff tr t : existsb (fun b => match b with Join _ u => u =? t | _ => false end) tr = true <-> joined tr t.
Proof.
  rewrite existsb_exists. split.
  - intros (b & Hb & E). destruct b; try discriminate. apply Nat.eqb_eq in E. subst. eexists; eauto.
  - intros [u Hu]. exists (Join u t). split; auto. apply Nat.eqb_refl.
Qed.
Lemma okb_iff tr a : okb tr a = true <-> ok_next tr a.
Proof.
  unfold okb, ok_next. rewrite andb_true_iff, negb_true_iff, <- not_true_iff_false, joinedb_iff.
  assert (E : match a with
    | Acq _ m => match holder tr m with None => true | _ => false end
    | Rel t m => match holder tr m with Some u => u =? t | _ => false end
    | _ => true end = true <->
    match a with Acq t m => holder tr m = None | Rel t m => holder tr m = Some t | _ => True end).
  { destruct a; try tauto; destruct (holder tr m); split; try congruence; [intros E|intros [= ->]]; [apply Nat.eqb_eq in E; congruence|apply Nat.eqb_refl]. }
  tauto.
Qed.
Lemma feasible_snoc_inv tr a : feasible (tr ++ [a]) -> feasible tr /\ ok_next tr a.
Proof.
  intros F. inversion F as [E|tr' a' Ft Ho E]; [destruct tr; discriminate|]. apply app_inj_tail in E as [-> ->]. auto.
Qed.
Lemma feasible_prefix r : forall l, feasible (l ++ r) -> feasible l.
Proof.
  induction r as [|a r IH] using rev_ind; intros l F; [now rewrite app_nil_r in F|]. rewrite app_assoc in F.
  apply feasible_snoc_inv in F as [F _]. now apply IH.
Qed.
Lemma feasibleb_from_iff todo : forall done, feasible done -> (feasibleb_from done todo = true <-> feasible (done ++ todo)).
Proof.
  induction todo as [|a r IH]; intros done F; simpl; [rewrite app_nil_r; tauto|].
  replace (done ++ a :: r) with ((done ++ [a]) ++ r) by now rewrite <- app_assoc.
  rewrite andb_true_iff, okb_iff. split.
  - intros [Ho Hr]. apply IH; auto. now constructor.
  - intros Fr. pose proof (feasible_prefix _ _ Fr) as F1. apply feasible_snoc_inv in F1 as [F1 Ho]. split; auto.
    apply IH; auto. now constructor.
Qed.
Theorem feasibleb_iff tr : feasibleb tr = true <-> feasible tr.
Proof. apply (feasibleb_from_iff tr []). constructor. Qed.

(** The same with channels. *)
Definition closedb (tr : ctrace) (c : chan) : bool := existsb (fun b => match b with CClose _ d => d =? c | _ => false end) tr.
Definition cjoinedb (tr : ctrace) (t : tid) : bool := existsb (fun b => match b with CJoin _ u => u =? t | _ => false end) tr.
Definition actors (a : cop) : list tid :=
  match a with
  | CRd t _ | CWr t _ | CAcq t _ | CRel t _ | CFork t _ | CJoin t _ | CSend t _ | CRecv t _ | CClose t _ | CRecvClosed t _ => [t]
  | CRend t u _ => [t; u]
  end.
Definition cokb (cap : chan -> nat) (tr : ctrace) (a : cop) : bool :=
  forallb (fun t => negb (cjoinedb tr t)) (actors a) &&
  match a with
  | CAcq t m => match cholder tr m with None => true | _ => false end
  | CRel t m => match cholder tr m with Some u => u =? t | _ => false end
  | CSend t c => negb (closedb tr c) && (nsends tr c <? nrecvs tr c + cap c)
  | CRecv t c => nrecvs tr c <? nsends tr c
  | CRend t u c => negb (t =? u) && (cap c =? 0) && negb (closedb tr c)
  | CClose t c => negb (closedb tr c)
  | CRecvClosed t c => closedb tr c && (nrecvs tr c =? nsends tr c)
  | _ => true
  end.
Fixpoint cfeasibleb_from (cap : chan -> nat) (done todo : ctrace) : bool :=
  match todo with [] => true | a :: r => cokb cap done a && cfeasibleb_from cap (done ++ [a]) r end.
Definition cfeasibleb (cap : chan -> nat) (tr : ctrace) : bool := cfeasibleb_from cap [] tr.

Lemma closedb_iff tr c : closedb tr c = true <-> closed tr c.
Proof.
  unfold closedb. rewrite existsb_exists. split.
  - intros (b & Hb & E). destruct b; try discriminate. apply Nat.eqb_eq in E. subst. eexists; eauto.
  - intros [u Hu]. exists (CClose u c). split; auto. apply Nat.eqb_refl.
Qed.
Lemma cjoinedb_iff tr c : cjoinedb tr c = true <-> cjoined tr c.
Proof.
  unfold cjoinedb. rewrite existsb_exists. split.
  - intros (b & Hb & E). destruct b; try discriminate. apply Nat.eqb_eq in E. subst. eexists; eauto.
  - intros [u Hu]. exists (CJoin u c). split; auto. apply Nat.eqb_refl.
Qed.
Lemma cokb_ok cap tr a : cokb cap tr a = true -> cok cap tr a.
Proof.
  unfold cokb, cok. rewrite andb_true_iff, forallb_forall. intros [Ha H]. split.
  - intros t Ht K. apply cjoinedb_iff in K.
    assert (Hi : In t (actors a)) by (destruct a; simpl in *; intuition).
    specialize (Ha t Hi). rewrite K in Ha. discriminate.
  - assert (NC : forall c, negb (closedb tr c) = true -> ~ closed tr c).
    { intros c E K. apply closedb_iff in K. rewrite K in E. discriminate. }
    destruct a; auto.
    + destruct (cholder tr m); [discriminate|auto].
    + destruct (cholder tr m); [|discriminate]. apply Nat.eqb_eq in H. now subst.
    + apply andb_true_iff in H as [H1 H2]. split; auto. now apply Nat.ltb_lt.
    + now apply Nat.ltb_lt.
    + apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. apply Nat.eqb_eq in H2.
      repeat split; auto. intros ->. rewrite Nat.eqb_refl in H1. discriminate.
    + apply andb_true_iff in H as [H1 H2]. split; [now apply closedb_iff|now apply Nat.eqb_eq].
Qed.
Theorem cfeasibleb_feasible cap tr : cfeasibleb cap tr = true -> cfeasible cap tr.
Proof.
  assert (G : forall todo done, cfeasible cap done -> cfeasibleb_from cap done todo = true -> cfeasible cap (done ++ todo)).
  { induction todo as [|a r IH]; intros done F H; simpl in H; [now rewrite app_nil_r|]. apply andb_true_iff in H as [H1 H2].
    replace (done ++ a :: r) with ((done ++ [a]) ++ r) by now rewrite <- app_assoc. apply IH; auto. constructor; auto. now apply cokb_ok. }
  intros H. apply (G tr []); auto. constructor.
Qed.
Lemma ok_cokb cap tr a : cok cap tr a -> cokb cap tr a = true.
Proof.
  intros [Ha H]. unfold cokb. apply andb_true_iff. split.
  - apply forallb_forall. intros t Ht. apply negb_true_iff, not_true_iff_false. rewrite cjoinedb_iff. apply Ha.
    destruct a; simpl in *; intuition.
  - assert (NC : forall c, ~ closed tr c -> negb (closedb tr c) = true).
    { intros c K. apply negb_true_iff, not_true_iff_false. now rewrite closedb_iff. }
    destruct a; auto.
    + now rewrite H.
    + rewrite H. apply Nat.eqb_refl.
    + destruct H. apply andb_true_iff. split; [auto|now apply Nat.ltb_lt].
    + now apply Nat.ltb_lt.
    + destruct H as (H1 & H2 & H3). rewrite !andb_true_iff. repeat split; auto; [now apply negb_true_iff, Nat.eqb_neq|now apply Nat.eqb_eq].
    + destruct H. apply andb_true_iff. split; [now apply closedb_iff|now apply Nat.eqb_eq].
Qed.
Theorem cfeasibleb_iff cap tr : cfeasibleb cap tr = true <-> cfeasible cap tr.
Proof.
  split; [apply cfeasibleb_feasible|]. unfold cfeasibleb.
  assert (S : forall todo done a, cfeasibleb_from cap done (todo ++ [a]) = cfeasibleb_from cap done todo && cokb cap (done ++ todo) a).
  { induction todo as [|b r IH]; intros done a; simpl; [now rewrite andb_true_r, app_nil_r|].
    rewrite IH, <- andb_assoc, <- app_assoc. reflexivity. }
  induction 1 as [|tr a F IH Ho]; [reflexivity|]. rewrite S, IH. simpl. now apply ok_cokb.
Qed.
