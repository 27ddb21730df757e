/**
 * The transaction of an event, for the statements that write hundreds of events at once: as a subquery it is worked out once
 * per statement, as the column's default once per row (1.2 µs each).
 */
export const thisTransaction = '(SELECT pg_current_xact_id()::text::bigint)';
