/** What somebody may do: look, have sources read and paused, or everything. */
export const scopes = ['read', 'run', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Of a token: `content` reads what is published of private sources, and nothing of the dashboard. */
export const tokenScopes = ['content', ...scopes] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Each includes those before it. */
export function allows(scope: Scope, needed: Scope): boolean {
  return scopes.indexOf(scope) >= scopes.indexOf(needed);
}
