(** Theorem 3 of 000: VectorClock without the increment at joins, where several threads may join one that has exited. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VectorClock VectorClockRules.

(** Section 3.4: the state has a set X of exited threads; a thread acts only before it exits and is joined only after. *)
Record mjstate := mkMJ { mjV : vcstate; mjX : tid -> bool }.
Definition mj_init : mjstate := mkMJ vc_init (fun _ => false).

Inductive mj_step : mjstate -> op -> mjstate -> Prop :=
| MJ_Exit v X t : X t = false -> mj_step (mkMJ v X) (Exit t) (mkMJ v (upd X t true))
| MJ_Join v X t u v' : X t = false -> X u = true -> vc_step false v (Join t u) v' -> mj_step (mkMJ v X) (Join t u) (mkMJ v' X)
| MJ_Other v X a v' : X (thr a) = false -> (forall t, a <> Exit t) -> (forall t u, a <> Join t u) ->
    vc_step false v a v' -> mj_step (mkMJ v X) a (mkMJ v' X).

(** The traces of that section: locks as before, and the discipline of exits, which allows several joins of one thread. *)
Definition exited (tr : trace) (u : tid) := In (Exit u) tr.
Definition mj_ok (tr : trace) (a : op) : Prop :=
  ~ exited tr (thr a) /\
  match a with
  | Acq t m => holder tr m = None
  | Rel t m => holder tr m = Some t
  | Join t u => exited tr u
  | _ => True
  end.
Inductive mj_feasible : trace -> Prop :=
| mjf_nil : mj_feasible []
| mjf_snoc tr a : mj_feasible tr -> mj_ok tr a -> mj_feasible (tr ++ [a]).

Lemma mj_feasible_feasible tr : mj_feasible tr -> feasible tr.
Proof.
  intros F. assert (H : feasible tr /\ forall u, joined tr u -> exited tr u); [|tauto].
  induction F as [|tr a F [IH Hx] [Hj Ho]].
  - split; [constructor|]. intros u [t []].
  - split.
    + constructor; auto. split; [intros K; apply Hx in K; auto|]. destruct a; auto.
    + intros u K. unfold exited. rewrite in_app_iff. apply joined_snoc in K as [K|[t ->]]; [left; now apply Hx|left; exact Ho].
Qed.

Lemma mj_runs_vc tr st : runs mj_step mj_init tr st ->
  runs (vc_step false) vc_init tr (mjV st) /\ forall u, mjX st u = true <-> exited tr u.
Proof.
  remember mj_init as I0 eqn:EI. induction 1 as [s|s tr s1 a s2 Hs IH St]; subst.
  - split; [constructor|]. intros u. simpl. split; [discriminate|intros []].
  - destruct (IH eq_refl) as [Hr HX]. destruct St as [v X t Ht|v X t u v' Ht Hu Sv|v X a v' Ht Hne Hnj Sv]; simpl in *.
    + split; [eapply runs_snoc; eauto; destruct v; constructor|].
      intros u. unfold exited, upd. rewrite in_app_iff, <- (HX u). simpl.
      destruct (Nat.eqb_spec u t); subst; [tauto|]. split; [auto|]. intros [K|[K|[]]]; [auto|congruence].
    + split; [eapply runs_snoc; eauto|]. intros w. unfold exited. rewrite in_app_iff, <- (HX w). simpl. intuition discriminate.
    + split; [eapply runs_snoc; eauto|]. intros w. unfold exited. rewrite in_app_iff, <- (HX w). simpl.
      split; [auto|]. intros [K|[K|[]]]; [auto|]. now elim (Hne w).
Qed.

(** Theorem 3 of 000. *)
Theorem multijoin_theorem_3 tr : mj_feasible tr -> ((exists st, runs mj_step mj_init tr st) <-> race_free tr).
Proof.
  intros F. rewrite <- (vc_runs_iff false tr (mj_feasible_feasible tr F)). split.
  - intros [st Hs]. exists (mjV st). now apply mj_runs_vc.
  - intros [v Hv]. assert (exists st, runs mj_step mj_init tr st /\ mjV st = v) as (st & Hs & _); [|eauto].
    revert v Hv. induction F as [|tr a F IH [Hx Ho]]; intros v Hv.
    + apply runs_nil_inv in Hv as ->. exists mj_init. split; [constructor|auto].
    + apply runs_snoc_inv in Hv as (v1 & H1 & H2).
      destruct (IH v1 H1) as ([v1' X] & Hs & Ev). simpl in Ev. subst v1'.
      destruct (mj_runs_vc _ _ Hs) as [_ HX]. simpl in HX.
      assert (HXa : X (thr a) = false) by (destruct (X (thr a)) eqn:E; auto; apply HX in E; contradiction).
      destruct a as [t x|t x|t m|t m|t u|t u|t].
      1-5: exists (mkMJ v X); split; [|reflexivity]; eapply runs_snoc; [exact Hs|];
           apply MJ_Other; auto; intros; discriminate.
      * exists (mkMJ v X). split; [|reflexivity]. eapply runs_snoc; [exact Hs|]. apply MJ_Join; auto. apply HX. exact Ho.
      * exists (mkMJ v1 (upd X t true)). inversion H2; subst. split; [|reflexivity]. eapply runs_snoc; [exact Hs|]. now apply MJ_Exit.
Qed.
