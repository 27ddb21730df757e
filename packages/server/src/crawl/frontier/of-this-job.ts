/**
 * Beside a condition on `ctid`, with the job's id as $1. A place is a row's own only within one partition, and large installations
 * partition the tables of crawls by job. Written so that no index fits it: the place leads to the row.
 */
export const ofThisJob = (column: string) => `${column} IS NOT DISTINCT FROM $1::uuid`;
