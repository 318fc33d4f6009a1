/** What somebody may do: look, have sources read and paused, or everything. */
export const scopes = ['read', 'run', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Each includes those before it. */
export function allows(scope: Scope, needed: Scope): boolean {
  return scopes.indexOf(scope) >= scopes.indexOf(needed);
}
