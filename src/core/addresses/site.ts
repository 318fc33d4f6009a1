/** Registries hand out names below these two labels: `ac.jp`, `co.uk`, `edu.au`. */
const publicSuffix = /^(?:a[cd]|co|com|ed|edu|gob|go|gov|gv|lg|mil|ne|net|nhs|nom|or|org|sch)\.[a-z]{2}$/;

/**
 * Whether two hosts lie below one registrable name, e.g. `repo.example.ac.jp` and `api.example.ac.jp`: following a
 * link from one to the other troubles nobody else.
 */
export function isSameSite(a: string, b: string): boolean {
  const site = siteOf(a);
  return site !== '' && site === siteOf(b);
}

/** The registrable name that a host lies below; itself where there is none, as of addresses. */
export function siteOf(host: string): string {
  const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  return registrable(name) ?? name;
}

function registrable(name: string): string | undefined {
  if (/^[\d.]+$|:/.test(name)) return undefined;
  const labels = name.split('.');
  const size = publicSuffix.test(labels.slice(-2).join('.')) ? 3 : 2;
  return labels.length < size ? undefined : labels.slice(-size).join('.');
}
