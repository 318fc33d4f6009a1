import { type Bitstream, type Item, isOpen, type ReadPolicy } from './model.ts';

export interface Account {
  readonly user: string;
  readonly password: string;
  readonly groups?: readonly string[];
  readonly admin?: boolean;
}

/** Whom a request comes from; undefined: anybody. */
export type Viewer = Account | undefined;

export function allows(policy: ReadPolicy, viewer: Viewer, now: number): boolean {
  if (viewer?.admin === true || isOpen(policy, now)) return true;
  return typeof policy === 'object' && 'groups' in policy
    ? policy.groups.some((group) => viewer?.groups?.includes(group) === true)
    : false;
}

export function mayRead(item: Item, viewer: Viewer, now: number): boolean {
  return allows(item.read, viewer, now);
}

/** What hangs on a withdrawn item is for administrators, though its shell is for all. */
export function mayReadParts(item: Item, viewer: Viewer, now: number): boolean {
  return mayRead(item, viewer, now) && (!item.withdrawn || viewer?.admin === true);
}

export function mayReadContent(item: Item, bitstream: Bitstream, viewer: Viewer, now: number): boolean {
  return mayReadParts(item, viewer, now) && allows(bitstream.read, viewer, now);
}
