import type { Check } from './examine.ts';

const toleratedMs = 5_000;

/** Leases go by the database's clock alone; ours matters for log lines and for what people see. */
export const checkClock: Check = async ({ pool }) => {
  const before = Date.now();
  const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const middle = (before + Date.now()) / 2;
  const aheadMs = Math.round((rows[0]?.now.getTime() ?? middle) - middle);
  const found = `the database's is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(aheadMs) <= toleratedMs) return { check: 'clock', state: 'ok', found };
  return {
    check: 'clock',
    state: 'warning',
    found,
    advice: 'Leases are safe, but times shown will be off: synchronise both machines (NTP).',
  };
};
