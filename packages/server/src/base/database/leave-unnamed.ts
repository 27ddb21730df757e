import type { ClientBase, QueryConfig } from 'pg';

/**
 * Has a client send every statement without its name. A pooler in transaction mode gives each transaction any connection: a
 * statement that was prepared on one is missing on the next, or is there already, prepared by another client.
 */
export function leaveUnnamed(client: ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const unnamed = (config: unknown, ...rest: unknown[]) => query(withoutName(config), ...rest);
  client.query = unnamed as typeof client.query;
}

function withoutName(config: unknown): unknown {
  const isNamed = typeof config === 'object' && config !== null && 'name' in config && !('submit' in config);
  if (!isNamed) return config;
  const { name: _, ...rest } = config as QueryConfig;
  return rest;
}
