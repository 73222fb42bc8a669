/* A bank with a forgotten lock: each teller locks the till for the money, and counts the customer after unlocking it.
 *
 *   deadheat run examples/bank.c
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;
static long balance;
static int customers;

static void deposit(long amount) {
  pthread_mutex_lock(&till);
  balance += amount;
  pthread_mutex_unlock(&till);
  customers++; /* too late: another teller may be counting too */
}

static void *teller(void *amount) {
  for (int i = 0; i < 1000; i++)
    deposit(*(long *)amount);
  return NULL;
}

int main(void) {
  pthread_t tellers[2];
  long amounts[2] = {5, 20};
  for (int i = 0; i < 2; i++)
    pthread_create(&tellers[i], NULL, teller, &amounts[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(tellers[i], NULL);
  printf("%d customers, balance %ld\n", customers, balance);
  return 0;
}
