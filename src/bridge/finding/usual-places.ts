/** What an address that somebody pasted looks like, before anybody has been asked. */
export interface Pasted {
  readonly kind: 'oai-pmh' | 'dspace' | 'dspace-legacy' | 'resourcesync' | 'page';
  /** The endpoint as far as the address names it, else the address itself. */
  readonly url: string;
  /** What the endpoints of a repository lie below, the likeliest first; without a slash at the end. */
  readonly roots: readonly string[];
  /** What the endpoint is called where the address is only near it: `/server/oai/request` for `/server/oai`. */
  readonly near: readonly string[];
  /** The software that has such pages; undefined: several do. */
  readonly generation: 'dspace' | 'dspace-legacy' | undefined;
}

const oai = /^(.*?)\/(?:cgi\/)?(?:dspace-)?oai[\w.-]*(?:\/.*)?$/i;
/** The application, without what it is asked for: `/server/oai` of `/server/oai/openaire`. */
const oaiApplication = /^.*?\/(?:cgi\/)?(?:dspace-)?oai[\w.-]*(?=\/|$)/i;
const rest = /^(.*?\/api)(?:\/.*)?$/;
const server = /^(.*?\/server)(?:\/.*)?$/;
const legacyRest = /^(.*?\/rest)(?:\/.*)?$/;
const legacyPages = /^(.*?)\/(?:xmlui|jspui)(?:\/.*)?$/;
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const newPages = new RegExp(
  `^(.*?)/(?:home|community-list|entities/[^/]+/${uuid}|(?:items|collections|communities|bitstreams)/${uuid})(?:/.*)?$`,
  'i',
);
/** DSpace has had these in every version. */
const pages = /^(.*?)\/(?:handle|bitstream|browse|search|simple-search|community-list|discover)(?:\/.*)?$/;

/** Of ResourceSync, or a Sitemap: nothing else is called so. */
const sourceDocument =
  /\/\.well-known\/resourcesync$|\/(?:[\w.-]*(?:capability|resource|change)-?(?:list|dump)[\w.-]*|[\w.-]*sitemap[\w.-]*)\.xml(?:\.gz)?$/i;

/** @param url absolute, http or https */
export function readPasted(url: URL): Pasted {
  const path = url.pathname.replace(/\/+$/, '');
  const at = (prefix: string) => `${url.origin}${prefix}`;
  const asked = isRequest(url);
  if (!asked && sourceDocument.test(path)) {
    const folder = path.replace(/(?:\/\.well-known)?\/[^/]*$/, '');
    const roots = rootsOf(url, folder);
    return { kind: 'resourcesync', url: bare(url, false), roots, near: [], generation: undefined };
  }
  const before = oai.exec(path)?.[1];
  // `/server/oai/request`, `?verb=Identify`: nothing else is called so.
  if (asked || before !== undefined) {
    const base = before ?? path;
    const endpoint = bare(url, asked);
    const near = oaiNear(url, path).filter((one) => one !== endpoint);
    return { kind: 'oai-pmh', url: endpoint, roots: rootsOf(url, base), near, generation: undefined };
  }
  const api = rest.exec(path)?.[1] ?? (server.test(path) ? `${server.exec(path)?.[1]}/api` : undefined);
  if (api !== undefined) {
    const roots = rootsOf(url, api.replace(/\/api$/, ''));
    return { kind: 'dspace', url: at(api), roots, near: [], generation: undefined };
  }
  const legacy = legacyRest.exec(path)?.[1];
  if (legacy !== undefined) {
    const roots = rootsOf(url, legacy.replace(/\/rest$/, ''));
    return { kind: 'dspace-legacy', url: at(legacy), roots, near: [], generation: undefined };
  }
  const [oldPage, newPage, page] = [legacyPages, newPages, pages].map((pattern) => pattern.exec(path)?.[1]);
  const base = oldPage ?? newPage ?? page;
  return {
    kind: 'page',
    url: base === undefined ? bare(url, false) : at(path),
    roots: rootsOf(url, base ?? path),
    near: [],
    generation: oldPage !== undefined ? 'dspace-legacy' : newPage !== undefined ? 'dspace' : undefined,
  };
}

/**
 * Without slashes at the end, which some servers do not take; DSpace's context for everybody, of which the application
 * alone is no endpoint; and the application, for what was asked of another server below it.
 */
function oaiNear(url: URL, path: string): readonly string[] {
  const application = oaiApplication.exec(path)?.[0];
  const paths = application === undefined ? [path] : [path, `${application}/request`, application];
  return [...new Set(paths)].map((one) => url.origin + one);
}

/** DSpace names its contexts after what they are for; of others, few have a path of two parts. */
export function isOaiOfDspace(url: string): boolean {
  return /\/oai\/(?:request|driver|openaire\d*|rioxx|snrd|uketd|cris|eprints|ddi)\/?$/.test(
    new URL(url).pathname,
  );
}

/** Where the REST API of a DSpace 7 or later is, below any of these. */
export function restPlaces(roots: readonly string[]): readonly string[] {
  return roots.map((root) => `${root}/server/api`);
}

export function legacyRestPlaces(roots: readonly string[]): readonly string[] {
  return roots.map((root) => `${root}/rest`);
}

/** Where a DSpace's OAI-PMH endpoint usually is: beside its REST API, or at the host. */
export function oaiBeside(api: string): readonly string[] {
  const beside = api.replace(/\/(?:api|rest)$/, '');
  return [...new Set([`${beside}/oai/request`, `${beside.replace(/\/server$/, '')}/oai/request`])];
}

/** Where well-known software keeps its OAI-PMH endpoint, tried in this order; at a host alone, the others too. */
const usualPaths = ['', '/oai', '/server/oai/request', '/oai/request', '/cgi/oai2', '/oai2d'];
const pathsOfHosts = ['/index.php/index/oai', '/index/oai', '/oai-pmh', '/OAI', '/do/oai/'];

/** @param software that called itself so on the page, e.g. `EPrints 3.4.5` */
export function oaiPlaces(roots: readonly string[], software: string | undefined): readonly string[] {
  const likely = usual.find(([name]) => name.test(software ?? ''))?.[1] ?? [];
  const places = roots.flatMap((root, index) => {
    const more = index === roots.length - 1 ? pathsOfHosts : [];
    return [...likely, ...usualPaths, ...more].map((path) => root + path);
  });
  return [...new Set(places)];
}

const usual: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^DSpace/i, ['/server/oai/request', '/oai/request']],
  [/^EPrints/i, ['/cgi/oai2']],
  [/^Open (?:Journal|Monograph|Preprint) Systems/i, ['/oai', '/index.php/index/oai', '/index/oai']],
  [/^Invenio/i, ['/oai2d']],
];

/** The address with what it lies in, the host last. */
function rootsOf(url: URL, path: string): readonly string[] {
  const base = path.replace(/\/+$/, '').replace(/\/server$/, '');
  return base === '' ? [url.origin] : [`${url.origin}${base}`, url.origin];
}

/** Arguments of OAI-PMH: a pasted request names its endpoint before them. */
const oaiArguments = /^(?:verb|metadataPrefix|identifier|set|from|until|resumptionToken)$/i;

function isRequest(url: URL): boolean {
  return [...url.searchParams.keys()].some((key) => key.toLowerCase() === 'verb');
}

function bare(url: URL, isAsked: boolean): string {
  const clean = new URL(url);
  clean.hash = '';
  const names = [...clean.searchParams.keys()].filter((name) => isAsked && oaiArguments.test(name));
  for (const name of names) clean.searchParams.delete(name);
  if (clean.searchParams.size === 0) clean.search = '';
  return clean.href;
}
