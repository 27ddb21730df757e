/** The scopes of API keys. A route requires one scope; a key has it if one of its scopes includes it. */
export const keyScopes = ['jobs:read', 'jobs:write', 'bots', 'operate', 'admin'] as const;
export type KeyScope = (typeof keyScopes)[number];

const grants: Record<KeyScope, readonly KeyScope[]> = {
  'jobs:read': ['jobs:read'],
  'jobs:write': ['jobs:write', 'jobs:read'],
  bots: ['bots'],
  operate: ['operate', 'jobs:write', 'jobs:read'],
  admin: keyScopes,
};

export const keyRoles = {
  viewer: ['jobs:read'],
  operator: ['jobs:read', 'jobs:write', 'operate'],
  admin: ['admin'],
  bot: ['bots'],
} as const satisfies Record<string, readonly KeyScope[]>;
export type KeyRole = keyof typeof keyRoles;

export function allowsScope(scopes: readonly KeyScope[], needed: KeyScope): boolean {
  return scopes.some((scope) => grants[scope].includes(needed));
}

/** Operators and admins see and control the jobs of all owners; others only their own. */
export function seesEveryOwner(scopes: readonly KeyScope[]): boolean {
  return allowsScope(scopes, 'operate');
}
