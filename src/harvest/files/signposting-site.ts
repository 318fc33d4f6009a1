import { isIP } from 'node:net';

/**
 * Whether two hosts are of one site, so that following a link from one to the other troubles nobody else: the same
 * name, or names that share what an institution registers.
 */
export function isSameSite(a: string, b: string): boolean {
  const [one, other] = [a, b].map((host) => host.toLowerCase().replace(/\.$/, ''));
  if (one === undefined || other === undefined || one === '' || other === '') return false;
  if (one === other) return true;
  const isAddress = [one, other].some((host) => isIP(host.replace(/^\[|\]$/g, '')) !== 0);
  const name = registered(one);
  return !isAddress && name !== undefined && name === registered(other);
}

/** Registries hand out names below these: `ac.jp`, `co.uk`, `edu.au`. */
const publicSuffix = /^(?:a[cd]|co|com|ed|edu|gob|go|gov|gv|lg|mil|ne|net|nhs|nom|or|org|sch)\.[a-z]{2}$/;

/** `u-tokyo.ac.jp` of `repository.u-tokyo.ac.jp`, `uu.nl` of `dspace.library.uu.nl`; undefined for what is neither. */
function registered(host: string): string | undefined {
  const labels = host.split('.');
  const size = publicSuffix.test(labels.slice(-2).join('.')) ? 3 : 2;
  return labels.length < size ? undefined : labels.slice(-size).join('.');
}
