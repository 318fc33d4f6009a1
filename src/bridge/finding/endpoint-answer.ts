/** What an address answered with, as far as it tells how to harvest what is behind it. */
export type Answer =
  /** @property host that its identifiers begin with, `oai:HOST:…`; undefined: it does not say */
  | { readonly kind: 'oai-pmh'; readonly host: string | undefined }
  /** @property ui where its HTML pages are; `version` as it says itself: `DSpace 8.2` */
  | { readonly kind: 'dspace'; readonly version: string; readonly ui: string | undefined }
  | { readonly kind: 'dspace-legacy'; readonly version: string }
  /** The settings of a user interface (DSpace 7 and later). @property rest where they say its REST API is */
  | { readonly kind: 'ui-settings'; readonly rest: string }
  /** A document of ResourceSync, or a Sitemap. */
  | { readonly kind: 'resourcesync' }
  /** Anything else. @property software that calls itself the maker of the page: `EPrints 3.4.5` */
  | {
      readonly kind: 'none';
      readonly what: string;
      readonly software: string | undefined;
      /** As far as it was read, where it is a page. */
      readonly text: string;
    };

const sourceRoot = /^(?:<\?[^>]*>|<!--[\s\S]{0,4000}?-->|\s)*<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>]/;

/** Software calls itself by name in the first lines of a page. */
const softwareWithin = 65_536;

/**
 * @param type of the answer's media type, as stated
 * @param text of the answer, or as much of it as was read
 */
export function recognise(status: number, type: string | undefined, text: string): Answer {
  const body = text.replace(/^[\uFEFF\s]+/, '');
  // The body of an OAI-PMH answer counts whatever its status is.
  if (/^(?:<\?[^>]*>|<!--[\s\S]{0,4000}?-->|\s)*<(?:[\w.-]+:)?OAI-PMH[\s>]/i.test(body.slice(0, 8000))) {
    return { kind: 'oai-pmh', host: oaiHost(body) };
  }
  const failed = status < 200 || status > 299;
  if (!failed && sourceRoot.test(body.slice(0, 8000))) return { kind: 'resourcesync' };
  const software = softwareOf(body.slice(0, softwareWithin));
  const isPage = /html/i.test(type ?? '') || /^<(?:!doctype html|html)\b/i.test(body);
  const none = (what: string): Answer => ({
    kind: 'none',
    what: failed ? `HTTP status ${status}` : what,
    software,
    text: isPage ? body : '',
  });
  if (body.startsWith('{')) return (failed ? undefined : recogniseJson(body)) ?? none('JSON of another kind');
  if (!failed && /^REST api is running/i.test(body)) {
    return { kind: 'dspace-legacy', version: 'DSpace 5 or 6' };
  }
  if (isPage) {
    return none(`an HTML page${software === undefined ? '' : `, made by ${software}`}`);
  }
  return none(body === '' ? 'an empty answer' : 'neither OAI-PMH nor JSON');
}

function recogniseJson(text: string): Answer | undefined {
  const json = parseObject(text);
  if (json === undefined) return undefined;
  const version = line(json.dspaceVersion);
  const server = line(json.dspaceServer);
  if ((json.type === 'root' && (version ?? server)) || (version && server)) {
    const cris = line(json.crisVersion);
    const name = version ?? 'DSpace 7 or later';
    return {
      kind: 'dspace',
      version: cris === undefined ? name : `${name} (CRIS ${cris})`,
      ui: webBase(json.dspaceUI),
    };
  }
  if (json.okay === true && 'authenticated' in json) {
    const source = line(json.sourceVersion);
    return { kind: 'dspace-legacy', version: source === undefined ? 'DSpace 5 or 6' : `DSpace ${source}` };
  }
  const rest = restOf(json.rest);
  return rest === undefined ? undefined : { kind: 'ui-settings', rest };
}

/** `{ssl, host, port, nameSpace}` of Angular's settings, as an address. */
function restOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { ssl, host, port, nameSpace } = value;
  if (typeof host !== 'string' || !/^[a-z0-9.-]{1,253}$/i.test(host)) return undefined;
  const path = typeof nameSpace === 'string' && nameSpace !== '/' ? nameSpace.replace(/\/+$/, '') : '';
  if (path !== '' && !/^\/[\w./~-]{1,200}$/.test(path)) return undefined;
  const number = typeof port === 'number' || typeof port === 'string' ? `:${port}` : '';
  const address = `${ssl === false ? 'http' : 'https'}://${host}${number}${path}/api`;
  return URL.canParse(address) ? new URL(address).href : undefined;
}

/** As its records are called, which is sure; else as it describes itself, in a file that few ever edit. */
function oaiHost(text: string): string | undefined {
  const found =
    /<(?:[\w.-]+:)?identifier>\s*oai:([^<\s:]{1,253}):/.exec(text)?.[1] ??
    /<(?:[\w.-]+:)?repositoryIdentifier>\s*([^<\s]{1,253})\s*</.exec(text)?.[1] ??
    /<(?:[\w.-]+:)?sampleIdentifier>\s*oai:([^<\s:]{1,253}):/.exec(text)?.[1];
  return found !== undefined && /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(found) ? found : undefined;
}

function softwareOf(html: string): string | undefined {
  for (const [tag] of html.matchAll(/<meta\b[^>]{0,500}>/gi)) {
    if (!/\bname\s*=\s*["']?generator\b/i.test(tag)) continue;
    const [, , content] = /\bcontent\s*=\s*(["'])(.{1,100}?)\1/i.exec(tag) ?? [];
    if (content !== undefined) return line(content);
  }
  if (/<ds-app\b/i.test(html)) return 'DSpace 7 or later';
  if (/HAL Browser/.test(html)) return 'DSpace 7 or later (HAL browser)';
  return undefined;
}

/** Which of its generations a DSpace calls itself; undefined: other software, or none. */
export function generationOf(software: string | undefined): 'dspace' | 'dspace-legacy' | undefined {
  const name = /^DSpace\b\D*(\d+)?/i.exec(software ?? '');
  if (name === null) return undefined;
  return name[1] !== undefined && Number(name[1]) < 7 ? 'dspace-legacy' : 'dspace';
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function webBase(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url.href : undefined;
}

/** A short text on one line: it goes to a terminal, and into comments. */
function line(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return (
    value
      .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ')
      .trim()
      .slice(0, 100) || undefined
  );
}
