/**
 * Belongs into the WHERE of whatever deletes jobs and then what they stored, in batches: the trigger, which would delete all of it in
 * this very statement, stands back (migration 0030). Until the end of the transaction.
 */
export const inBatches = `(SELECT set_config('holdfast.deletes_in_batches', 'on', true)) = 'on'`;
