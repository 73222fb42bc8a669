(** The three detectors of 004: races after writes (Figures 2, 3), all races (Figures 6, 7), and with forgetting and garbage collection (Figures 10, 11). *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Clocks ChannelTrace ChannelSync ChannelExact HbSets.

(** E^z is a subset of E. *)
Definition knows_all (es : list label) (k : kset) : bool := forallb (fun e => mem e k) es.
Lemma knows_all_true es k : knows_all es k = true <-> forall e, In e es -> In e k.
Proof. unfold knows_all. rewrite forallb_forall. split; intros H e He; apply mem_true; auto. Qed.
Lemma knows_all_false es k : knows_all es k = false -> exists e, In e es /\ ~ In e k.
Proof.
  unfold knows_all. induction es as [|e es IH]; simpl; [discriminate|]. rewrite andb_false_iff. intros [H|H].
  - apply mem_false in H. eauto.
  - destruct (IH H) as (e' & ? & ?). eauto.
Qed.

(** ** After writes: a variable remembers its writes, a thread the writes it knows *)
Definition aw_rd (k : kset) (l : label) (s : list label) : option (list label) :=
  if knows_all s k then Some s (* R-Read *) else None (* R-Read-E_RaW *).
Definition aw_wr (k : kset) (l : label) (s : list label) : option (list label) :=
  if knows_all s k then Some (l :: s) (* R-Write *) else None (* R-Write-E_WaW *).

Program Definition AfterWrite : hbdet := {|
  tracks := false; HS := list label; h0 := []; hrd := aw_rd; hwr := aw_wr;
  hset := fun k l => if lwr l then l :: k else k;
  remR := fun _ _ => False; remW := fun s e => In e s |}.
Next Obligation. unfold aw_rd in H. destruct (knows_all s k) eqn:E; [discriminate|]. now apply knows_all_false. Qed.
Next Obligation.
  unfold aw_rd in H. destruct (knows_all s k) eqn:E; [|discriminate]. injection H as <-. rewrite knows_all_true in E.
  repeat split; auto; try discriminate; contradiction.
Qed.
Next Obligation.
  unfold aw_wr in H. destruct (knows_all s k) eqn:E; [discriminate|]. apply knows_all_false in E as (e & ? & ?). eauto.
Qed.
Next Obligation.
  unfold aw_wr in H. destruct (knows_all s k) eqn:E; [|discriminate]. injection H as <-. rewrite knows_all_true in E. simpl.
  repeat split; auto; try tauto; [intros w [K|[]]; auto|intros w [->|K]; auto].
Qed.
Next Obligation. destruct (lwr l); simpl in *; intuition. Qed.
Next Obligation. destruct H as [->|H]; [simpl; auto|discriminate]. Qed.
Next Obligation. destruct (lwr l); simpl; auto. Qed.
Next Obligation. rewrite H0. auto. Qed.
Next Obligation. rewrite H0. simpl. auto. Qed.

(** ** All races: reads are remembered too *)
Record ar := mkAR { arW : list label; arR : list label }.
Definition ar_rd (k : kset) (l : label) (s : ar) : option ar :=
  if knows_all (arW s) k then Some (mkAR (arW s) (l :: arR s)) (* R-Read *) else None (* R-Read-E_RaW *).
Definition ar_wr (k : kset) (l : label) (s : ar) : option ar :=
  if knows_all (arR s) k
  then if knows_all (arW s) k then Some (mkAR (l :: arW s) (arR s)) (* R-Write *) else None (* R-Write-E_WaW *)
  else None (* R-Write-E_WaR *).

Program Definition AllRaces : hbdet := {|
  tracks := true; HS := ar; h0 := mkAR [] []; hrd := ar_rd; hwr := ar_wr;
  hset := fun k l => l :: k;
  remR := fun s e => In e (arR s); remW := fun s e => In e (arW s) |}.
Next Obligation. unfold ar_rd in H. destruct (knows_all (arW s) k) eqn:E; [discriminate|]. now apply knows_all_false. Qed.
Next Obligation.
  unfold ar_rd in H. destruct (knows_all (arW s) k) eqn:E; [|discriminate]. injection H as <-. rewrite knows_all_true in E. simpl.
  repeat split; auto. intros r [->|K]; auto.
Qed.
Next Obligation.
  unfold ar_wr in H. destruct (knows_all (arR s) k) eqn:E; [destruct (knows_all (arW s) k) eqn:E'; [discriminate|]|].
  - apply knows_all_false in E' as (e & ? & ?). eauto.
  - apply knows_all_false in E as (e & ? & ?). eauto 6.
Qed.
Next Obligation.
  unfold ar_wr in H. destruct (knows_all (arR s) k) eqn:E; [|discriminate]. destruct (knows_all (arW s) k) eqn:E'; [|discriminate].
  injection H as <-. rewrite knows_all_true in *. simpl. repeat split; auto; [intros w [K|K]; auto|intros w [->|K]; auto].
Qed.
Next Obligation. intuition. Qed.

(** ** With garbage collection: a variable remembers its last write m and the reads since that nobody has superseded *)
Record gcv := mkGC { gcW : option label; gcR : list label }.
Definition known_opt (w : option label) (k : kset) : bool := match w with Some m => mem m k | None => true end.
Definition gc_rd (k : kset) (l : label) (s : gcv) : option gcv :=
  if known_opt (gcW s) k
  then Some (mkGC (gcW s) (l :: filter (fun r => negb (mem r k)) (gcR s)))   (* R-Read: E^r := {l} + (E^r - E|z) *)
  else None.                                                                 (* R-Read-E_RaW *)
Definition gc_wr (k : kset) (l : label) (s : gcv) : option gcv :=
  if knows_all (gcR s) k
  then if known_opt (gcW s) k then Some (mkGC (Some l) []) (* R-Write *) else None (* R-Write-E_WaW *)
  else None.                                                                 (* R-Write-E_WaR *)

(** The latest write to z that the thread knows. The paper keeps m itself; the Rust code, like this, keeps the latest, which is m. *)
Definition writes_of (k : kset) (z : var) : kset := filter (fun e => (lvar e =? z) && lwr e) k.
Definition latest (k : kset) (z : var) : nat := list_max (map lpos (writes_of k z)).
Definition gc_set (k : kset) (l : label) : kset :=
  if lwr l
  then l :: filter (fun e => negb (lvar e =? lvar l)) k                      (* E := {l} + (E - E|z) *)
  else l :: filter (fun e => negb (lvar e =? lvar l) || lwr e && (lpos e =? latest k (lvar l))) k. (* ... + {m} *)

Lemma latest_is k z m : In m k -> lvar m = z -> lwr m = true ->
  (forall e, In e k -> lvar e = z -> lwr e = true -> lpos e <= lpos m) -> latest k z = lpos m.
Proof.
  intros Hm Hv Hw Hall. unfold latest.
  assert (A : forall e, In e (writes_of k z) <-> In e k /\ lvar e = z /\ lwr e = true).
  { intros e. unfold writes_of. rewrite filter_In, andb_true_iff, Nat.eqb_eq. tauto. }
  apply Nat.le_antisymm.
  - apply list_max_le. apply Forall_forall. intros p Hp. apply in_map_iff in Hp as (e & <- & He). apply A in He as (? & ? & ?). auto.
  - pose proof (proj1 (list_max_le (map lpos (writes_of k z)) _) (Nat.le_refl _)) as H. rewrite Forall_forall in H.
    apply H. apply in_map. apply A. auto.
Qed.

Program Definition Collected : hbdet := {|
  tracks := true; HS := gcv; h0 := mkGC None []; hrd := gc_rd; hwr := gc_wr; hset := gc_set;
  remR := fun s e => In e (gcR s); remW := fun s e => gcW s = Some e |}.
Next Obligation. split; [auto|discriminate]. Qed.
Next Obligation.
  unfold gc_rd in H. destruct (gcW s) as [m|]; simpl in H; [|discriminate]. destruct (mem m k) eqn:E; [discriminate|].
  apply mem_false in E. eauto.
Qed.
Next Obligation.
  unfold gc_rd in H. destruct (known_opt (gcW s) k) eqn:E; [|discriminate]. injection H as <-. simpl.
  repeat split; auto.
  - intros w Hw. rewrite Hw in E. now apply mem_true.
  - intros r [->|K]; auto. apply filter_In in K as [K _]. auto.
  - intros r Hr. rewrite filter_In, negb_true_iff, mem_false. destruct (mem r k) eqn:Em; [apply mem_true in Em|apply mem_false in Em]; tauto.
Qed.
Next Obligation.
  unfold gc_wr in H. destruct (knows_all (gcR s) k) eqn:E.
  - destruct (gcW s) as [m|]; simpl in H; [|discriminate]. destruct (mem m k) eqn:Em; [discriminate|]. apply mem_false in Em. eauto.
  - apply knows_all_false in E as (e & ? & ?). eauto 6.
Qed.
Next Obligation.
  unfold gc_wr in H. destruct (knows_all (gcR s) k) eqn:E; [|discriminate]. destruct (known_opt (gcW s) k) eqn:E'; [|discriminate].
  injection H as <-. rewrite knows_all_true in E. simpl. repeat split; auto.
  - intros w [Hw|K]; auto. rewrite Hw in E'. now apply mem_true.
  - intros w [= ->]. auto.
  - intros r [].
Qed.
Next Obligation. unfold gc_set in H. destruct (lwr l); destruct H as [->|H]; auto; apply filter_In in H as [H _]; auto. Qed.
Next Obligation. unfold gc_set. destruct (lwr l); simpl; auto. Qed.
Next Obligation.
  unfold gc_set. apply Nat.eqb_neq in H. destruct (lwr l); right; apply filter_In; rewrite H; auto.
Qed.
Next Obligation.
  unfold gc_rd in H. destruct (known_opt (gcW s) k) eqn:E; [|discriminate]. injection H as <-. simpl in *.
  unfold gc_set. rewrite H0. right. apply filter_In. split; auto.
  destruct H5 as [[->|K]|Hm]; [contradiction| |].
  - apply filter_In in K as [_ K]. rewrite negb_true_iff, mem_false in K. contradiction.
  - destruct (H2 e Hm) as [Hw Hv]. rewrite Hw, Hv, Nat.eqb_refl. simpl. apply Nat.eqb_eq. symmetry. apply latest_is; auto.
    intros e' He' Hv' Hw'. destruct (H4 e' He' Hv' Hw') as (w & Hs & Hle). congruence.
Qed.
Next Obligation.
  unfold gc_wr in H. destruct (knows_all (gcR s) k); [|discriminate]. destruct (known_opt (gcW s) k); [|discriminate].
  injection H as <-. simpl in *. destruct H2 as [[]|[= <-]]. contradiction.
Qed.

(** ** The detectors as functions *)
Section Runs.
Variable D : hbdet.
Variable cap : chan -> nat.
Fixpoint hfold (n : nat) (s : hstate D) (tr : ctrace) : hstate D :=
  match tr with [] => s | a :: r => hfold (S n) (hstep D n s a) r end.
Definition hrun (tr : ctrace) : hstate D := hfold 0 (hinit D cap) tr.

Lemma hfold_snoc tr : forall n s a, hfold n s (tr ++ [a]) = hstep D (n + length tr) (hfold n s tr) a.
Proof. induction tr as [|b tr IH]; intros n s a; simpl; [now rewrite Nat.add_0_r|]. rewrite IH. now rewrite Nat.add_succ_r. Qed.
Lemma hrun_runs tr : hruns D cap tr (hrun tr).
Proof.
  induction tr as [|a tr IH] using rev_ind; [constructor|]. unfold hrun in *. rewrite hfold_snoc. simpl. now constructor.
Qed.
End Runs.

Theorem after_write_precise cap tr x : cfeasible cap tr ->
  (hvar _ (hrun AfterWrite cap tr) x = None <-> crace_on cap false tr x).
Proof. apply (hbset_precise AfterWrite cap tr _ x (hrun_runs _ _ _)). Qed.

Theorem all_races_precise cap tr x : cfeasible cap tr ->
  (hvar _ (hrun AllRaces cap tr) x = None <-> crace_on cap true tr x).
Proof. apply (hbset_precise AllRaces cap tr _ x (hrun_runs _ _ _)). Qed.

(** Collected, with R-GC at any times and for any holders. *)
Theorem collected_precise_any_gc cap tr s x : hruns Collected cap tr s -> cfeasible cap tr ->
  (hvar _ s x = None <-> crace_on cap true tr x).
Proof. intros H. now apply (hbset_precise Collected cap tr s x). Qed.

(** ** ... and as the Rust code has it: after every N events, everywhere, all that no variable remembers *)
Definition liveb (s : hstate Collected) (e : label) : bool :=
  match hvar _ s (lvar e) with
  | Some v => mem e (gcR v) || match gcW v with Some m => leq e m | None => false end
  | None => false
  end.
Definition collect (s : hstate Collected) : hstate Collected :=
  let f := filter (liveb s) in let sy := hsync _ s in
  mkH Collected (mkCS (fun t => f (sT sy t)) (fun m => f (sL sy m)) (fun c => map f (sF sy c)) (fun c => map f (sB sy c)) (sU sy) (fun c => f (sX sy c)))
      (hvar _ s).
Fixpoint gcfold (N n since : nat) (s : hstate Collected) (tr : ctrace) : hstate Collected :=
  match tr with
  | [] => s
  | a :: r => let s' := hstep Collected n s a in
              if S since =? N then gcfold N (S n) 0 (collect s') r else gcfold N (S n) (S since) s' r
  end.
Definition gcrun (cap : chan -> nat) (N : nat) (tr : ctrace) : hstate Collected := gcfold N 0 0 (hinit Collected cap) tr.

Lemma collect_thinner cap tr s : RInv Collected cap tr s -> related (thinner Collected s) (hsync _ (collect s)) (hsync _ s).
Proof.
  intros I. assert (T : forall k, thinner Collected s (filter (liveb s) k) k).
  { intros k. split; intros e H; [now apply filter_In in H|]. intros Hk. apply filter_In. split; auto.
    destruct H as (x & v & Hv & He). pose proof (ri_var _ _ _ _ I x) as V. rewrite Hv in V. unfold liveb.
    destruct He as [He|He].
    - destruct (hi_Rb _ _ _ _ _ V e He) as (_ & -> & _). rewrite Hv. apply mem_true in He. simpl in *. now rewrite He.
    - destruct (hi_Wb _ _ _ _ _ V e He) as (_ & -> & _). rewrite Hv. simpl in He. rewrite He. apply orb_true_iff. right. now apply leq_true. }
  assert (M : forall q, Forall2 (thinner Collected s) (map (filter (liveb s)) q) q) by (induction q; simpl; auto).
  constructor; simpl; auto.
Qed.

Lemma gcfold_runs cap N r : forall tr since s, cfeasible cap (tr ++ r) -> hruns Collected cap tr s ->
  hruns Collected cap (tr ++ r) (gcfold N (length tr) since s r).
Proof.
  induction r as [|a r IH]; intros tr since s F H; simpl; [now rewrite app_nil_r|].
  replace (tr ++ a :: r) with ((tr ++ [a]) ++ r) in * by now rewrite <- app_assoc.
  assert (L : S (length tr) = length (tr ++ [a])) by (rewrite app_length; simpl; lia). rewrite L.
  assert (F1 : cfeasible cap (tr ++ [a])).
  { clear - F. induction r as [|b r IH] using rev_ind; [now rewrite app_nil_r in F|]. rewrite app_assoc in F.
    inversion F as [E|t b' F' _ E]; [destruct ((tr ++ [a]) ++ r); discriminate|]. apply app_inj_tail in E as [-> ->]. auto. }
  assert (H1 : hruns Collected cap (tr ++ [a]) (hstep Collected (length tr) s a)) by now constructor.
  destruct (match N with 0 => false | S m' => since =? m' end); apply IH; auto.
  apply (hr_gc Collected cap _ _ _ H1). eapply collect_thinner. apply hruns_inv; eauto.
Qed.

Theorem collected_precise cap N tr x : cfeasible cap tr ->
  (hvar _ (gcrun cap N tr) x = None <-> crace_on cap true tr x).
Proof. intros F. apply (hbset_precise Collected cap tr); auto. apply (gcfold_runs cap N tr []); auto. constructor. Qed.

(** ** Examples: a channel of capacity 1 is a lock (004, Figure 9); what a receiver does not know yet, it races with *)
Definition one (c : chan) := 1.
Definition mutex : ctrace := [CFork 0 1; CSend 0 7; CWr 0 5; CRecv 0 7; CSend 1 7; CWr 1 5; CRecv 1 7].
Definition message : ctrace := [CFork 0 1; CWr 0 5; CSend 0 7; CRecv 1 7; CRd 1 5].
Definition too_late : ctrace := [CFork 0 1; CSend 0 7; CWr 0 5; CRecv 1 7; CRd 1 5].

Fixpoint cok_all (cap : chan -> nat) (done todo : ctrace) : bool :=
  match todo with
  | [] => true
  | a :: r => match a with
              | CSend _ c => nsends done c <? nrecvs done c + cap c
              | CRecv _ c => nrecvs done c <? nsends done c
              | CRd _ _ | CWr _ _ | CFork _ _ => true
              | _ => false end && cok_all cap (done ++ [a]) r
  end.
Definition simple (a : cop) : bool := match a with CSend _ _ | CRecv _ _ | CRd _ _ | CWr _ _ | CFork _ _ => true | _ => false end.
Lemma cok_all_feasible cap todo : forall done, forallb simple done = true -> cfeasible cap done -> cok_all cap done todo = true -> cfeasible cap (done ++ todo).
Proof.
  induction todo as [|a r IH]; intros done S F H; simpl in H; [now rewrite app_nil_r|]. apply andb_true_iff in H as [H1 H2].
  rewrite forallb_forall in S.
  replace (done ++ a :: r) with ((done ++ [a]) ++ r) by now rewrite <- app_assoc. apply IH; auto.
  - rewrite forallb_app. apply andb_true_iff. split; [now apply forallb_forall|]. destruct a; simpl; auto.
  - constructor; auto. split.
    + intros t _ [u Hu]. apply S in Hu. discriminate.
    + destruct a; auto; try discriminate; apply Nat.ltb_lt in H1; auto. split; auto. intros [u Hu]. apply S in Hu. discriminate.
Qed.
Example mutex_ok : cfeasible one mutex /\ forall x, ~ crace_on one true mutex x.
Proof.
  assert (F : cfeasible one mutex) by (apply (cok_all_feasible one mutex []); [reflexivity|constructor|reflexivity]).
  split; auto. intros x. rewrite <- (all_races_precise one mutex x F). simpl. unfold upd. destruct (x =? 5); discriminate.
Qed.
Example message_ok : cfeasible one message /\ forall x, ~ crace_on one true message x.
Proof.
  assert (F : cfeasible one message) by (apply (cok_all_feasible one message []); [reflexivity|constructor|reflexivity]).
  split; auto. intros x. rewrite <- (collected_precise one 1 message x F).
  unfold gcrun, message. simpl. unfold upd. destruct (x =? 5); discriminate.
Qed.
Example too_late_races : cfeasible one too_late /\ crace_on one false too_late 5.
Proof.
  assert (F : cfeasible one too_late) by (apply (cok_all_feasible one too_late []); [reflexivity|constructor|reflexivity]).
  split; auto. now rewrite <- (after_write_precise one too_late 5 F).
Qed.
