import type { ServerResponse } from 'node:http';
import type { Bitstream, Bundle } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { mayRead, mayReadContent, mayReadParts } from '../viewer.ts';
import { isShown } from './hidden-rows.ts';
import { type Face, type Look, mimeTypeOf, pathOf, type Resource } from './rest-json.ts';
import { listJson } from './rest-paging.ts';
import {
  type EmbedTree,
  embedTree,
  follow,
  refusesVersions,
  renderWith,
  shownOne,
} from './rest-relations.ts';
import { rootJson } from './rest-root.ts';
import { DiscoverSearch, searchConfiguration } from './rest-search.ts';
import { issueToken, type RestSession } from './rest-session.ts';
import { linksetJson, linksetText, linksJson } from './signposting.ts';

export interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly contentType?: string;
  readonly location?: string;
  readonly content?: { readonly bitstream: Bitstream; readonly bundle: Bundle };
  /** How many hits there are to embed something in. */
  readonly hits?: number;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What a request is about, for counting; `path` below the web application. */
export function kindOf(path: string | undefined): string {
  const [, area, group = '', what = '', , inner] = path?.split('/') ?? [];
  if (area === 'oai' || area === 'signposting') return area;
  if (area !== 'api') return 'other';
  if (group === '') return 'root';
  if (group === 'authn' || group === 'security') return what;
  if (group === 'discover') return path?.includes('/search/objects') ? 'search' : 'discover';
  if (group === 'pid' || group === 'dso') return 'pid';
  if (group === 'versioning') return 'version';
  if (inner === 'content') return 'content';
  const kinds: Record<string, string> = {
    items: inner === undefined ? 'item' : inner === 'version' ? 'version' : 'item-part',
    bundles: 'bundle',
    bitstreams: inner === undefined ? 'bitstream' : 'bitstream-part',
    collections: 'collection',
    communities: 'community',
  };
  return kinds[what] ?? 'other';
}

/** From addresses to answers. */
export class RestRoutes {
  readonly #face: Face;
  readonly #session: RestSession;
  readonly #name: string;
  readonly #search: DiscoverSearch;

  constructor(face: Face, session: RestSession, name: string) {
    this.#face = face;
    this.#session = session;
    this.#name = name;
    this.#search = new DiscoverSearch(face);
  }

  /** @throws Refusal */
  post(path: string, form: URLSearchParams, look: Look, response: ServerResponse): Reply {
    switch (path) {
      case '/api/authn/login':
        this.#session.login(form, look.viewer, response);
        return { status: 200 };
      case '/api/authn/logout':
        return { status: 204 };
      default:
        throw new Refusal(look.viewer === undefined ? 401 : 403);
    }
  }

  /** @throws Refusal */
  get(path: string, query: URLSearchParams, look: Look, response: ServerResponse): Reply {
    const [, area, ...steps] = path.replace(/\/$/, '').split('/');
    if (area === 'signposting') return this.#signposting(steps, look);
    if (area !== 'api') throw new Refusal(404);
    const [group = '', what = '', id = '', relation, ...more] = steps;
    const tree = embedTree(query);
    if (more.length > 0) throw new Refusal(404);
    switch (`${group}/${what}`) {
      case '/':
        return { json: rootJson(this.#face, this.#name) };
      case 'authn/status':
        response.setHeader('www-authenticate', 'password realm="DSpace REST API"');
        return { json: this.#session.status(look.viewer) };
      case 'authn/login':
        throw new Refusal(405);
      case 'security/csrf':
        issueToken(response);
        return { status: 204 };
      case 'discover/search':
        if (id === '') return { json: searchConfiguration(this.#face, query) };
        if (id !== 'objects') throw new Refusal(404);
        return this.#objects(query, look, tree);
      case 'pid/find':
        return this.#find(query.get('id') ?? '', look);
      case 'dso/find':
        return this.#findObject(query.get('uuid') ?? '', look);
      case 'core/communities':
        return this.#communities(id, relation, query, look, tree);
      case 'core/collections':
        return this.#collections(id, relation, query, look, tree);
      case 'core/items':
        if (id === '') throw new Refusal(look.viewer === undefined ? 401 : 403);
        return this.#resource(this.#item(id, look), relation, query, look, tree);
      case 'core/bundles':
        return this.#resource(this.#bundle(id, look), relation, query, look, tree);
      case 'core/bitstreams':
        return this.#bitstream(id, relation, query, look, tree);
      case 'core/bitstreamformats':
        return this.#format(id, query, look, tree);
      case 'core/relationships':
      case 'core/relationshiptypes':
        return this.#relationship(what, id, relation, query, look, tree);
      case 'versioning/versions':
      case 'versioning/versionhistories':
        return this.#versioning(what, id, relation, query, look, tree);
      default:
        throw new Refusal(404);
    }
  }

  #objects(query: URLSearchParams, look: Look, tree: EmbedTree): Reply {
    const json = this.#search.reply(query, look, tree);
    const { searchResult } = json._embedded as { searchResult: { _embedded: { objects: unknown[] } } };
    return { json, hits: searchResult._embedded.objects.length };
  }

  #find(id: string, look: Look): Reply {
    const found = /^doi:/i.test(id) ? undefined : this.#face.repository.byHandle(id.replace(/^hdl:/, ''));
    if (found === undefined) throw new Refusal(404);
    if (!('collection' in found))
      return this.#redirect(
        'collections' in found
          ? { type: 'community', community: found }
          : { type: 'collection', collection: found },
      );
    if (!mayRead(found, look.viewer, this.#face.repository.now())) throw this.#denied(look);
    return this.#redirect({ type: 'item', item: found });
  }

  #findObject(uuid: string, look: Look): Reply {
    const { repository } = this.#face;
    if (!uuidPattern.test(uuid)) throw new Refusal(400);
    const item = repository.item(uuid);
    // #9154
    if (item !== undefined && !mayRead(item, look.viewer, repository.now())) throw new Refusal(500);
    if (item !== undefined) return this.#redirect({ type: 'item', item });
    const collection = repository.collection(uuid);
    if (collection !== undefined) return this.#redirect({ type: 'collection', collection });
    const community = repository.community(uuid);
    if (community !== undefined) return this.#redirect({ type: 'community', community });
    const found = repository.bitstream(uuid);
    if (found !== undefined) return this.#redirect({ type: 'bitstream', ...found });
    throw new Refusal(404);
  }

  #redirect(resource: Resource): Reply {
    return { status: 302, location: `${this.#face.api}${pathOf(resource)}` };
  }

  #communities(
    id: string,
    relation: string | undefined,
    query: URLSearchParams,
    look: Look,
    tree: EmbedTree,
  ): Reply {
    const { repository, switches } = this.#face;
    if (id === '' || id === 'search') {
      if (switches.refuseLists) throw this.#denied(look);
      if (id === 'search' && relation !== 'top') throw new Refusal(relation === undefined ? 405 : 404);
      const shown = repository.communities.filter(({ parent }) => id === '' || parent === undefined);
      const rows = shown.map((community) => ({ type: 'community', community }) as const);
      const path = id === '' ? '/core/communities' : '/core/communities/search/top';
      const fromRepository = true;
      return {
        json: listJson(this.#face, rows, { name: 'communities', path, query, look, tree, fromRepository }),
      };
    }
    this.#checkId(id, look);
    const community = repository.community(id);
    if (community === undefined) throw this.#unknown(look);
    return this.#resource({ type: 'community', community }, relation, query, look, tree);
  }

  #collections(
    id: string,
    relation: string | undefined,
    query: URLSearchParams,
    look: Look,
    tree: EmbedTree,
  ): Reply {
    const { repository, switches } = this.#face;
    if (id === '') {
      if (switches.refuseLists) throw this.#denied(look);
      const rows = repository.collections.map((collection) => ({ type: 'collection', collection }) as const);
      const path = '/core/collections';
      const fromRepository = true;
      return {
        json: listJson(this.#face, rows, { name: 'collections', path, query, look, tree, fromRepository }),
      };
    }
    this.#checkId(id, look);
    const collection = repository.collection(id);
    if (collection === undefined) throw this.#unknown(look);
    return this.#resource({ type: 'collection', collection }, relation, query, look, tree);
  }

  #item(id: string, look: Look): Resource {
    this.#checkId(id, look);
    const item = this.#face.repository.item(id);
    if (item === undefined) throw this.#unknown(look);
    if (this.#face.switches.poisonous.has(id)) throw new Refusal(500);
    if (!mayRead(item, look.viewer, this.#face.repository.now())) throw this.#denied(look);
    return { type: 'item', item };
  }

  #bundle(id: string, look: Look): Resource {
    if (id === '') throw new Refusal(405);
    this.#checkId(id, look);
    const found = this.#face.repository.bundle(id);
    if (found === undefined) throw this.#unknown(look);
    if (!mayReadParts(found.item, look.viewer, this.#face.repository.now())) throw this.#denied(look);
    return { type: 'bundle', ...found };
  }

  #bitstream(
    id: string,
    relation: string | undefined,
    query: URLSearchParams,
    look: Look,
    tree: EmbedTree,
  ): Reply {
    if (id === '') throw new Refusal(405);
    this.#checkId(id, look);
    const { repository, profile } = this.#face;
    const found = repository.bitstream(id);
    if (found === undefined) throw profile.unknownIs401 ? new Refusal(401) : this.#unknown(look);
    const { item, bundle, bitstream } = found;
    if (!mayReadParts(item, look.viewer, repository.now())) throw this.#denied(look);
    if (relation !== 'content')
      return this.#resource({ type: 'bitstream', ...found }, relation, query, look, tree);
    if (!mayReadContent(item, bitstream, look.viewer, repository.now())) throw this.#denied(look);
    return { content: { bitstream, bundle } };
  }

  #format(id: string, query: URLSearchParams, look: Look, tree: EmbedTree): Reply {
    const mimeType = mimeTypeOf(Number(id));
    if (mimeType === undefined) throw this.#unknown(look);
    return this.#resource({ type: 'format', mimeType }, undefined, query, look, tree);
  }

  #relationship(
    what: string,
    id: string,
    relation: string | undefined,
    query: URLSearchParams,
    look: Look,
    tree: EmbedTree,
  ): Reply {
    if (what === 'relationshiptypes')
      return this.#resource({ type: 'relationshipType' }, relation, query, look, tree);
    const relationship = this.#face.repository.relationships.get(Number(id));
    if (relationship === undefined) throw this.#unknown(look);
    return this.#resource({ type: 'relationship', relationship }, relation, query, look, tree);
  }

  #versioning(
    what: string,
    id: string,
    relation: string | undefined,
    query: URLSearchParams,
    look: Look,
    tree: EmbedTree,
  ): Reply {
    const { repository } = this.#face;
    if (id === '') throw new Refusal(405);
    if (refusesVersions(this.#face, look)) throw this.#denied(look);
    if (what === 'versionhistories') {
      const history = repository.histories.get(Number(id));
      if (history === undefined) throw this.#unknown(look);
      return this.#resource({ type: 'history', history }, relation, query, look, tree);
    }
    const version = repository.versions.get(Number(id));
    if (version === undefined) throw this.#unknown(look);
    if (!mayRead(version.item, look.viewer, repository.now())) throw this.#denied(look);
    return this.#resource({ type: 'version', version }, relation, query, look, tree);
  }

  /** A resource itself, or what one of its links leads to. */
  #resource(
    resource: Resource,
    relation: string | undefined,
    query: URLSearchParams,
    look: Look,
    tree: EmbedTree,
  ): Reply {
    if (!isShown(this.#face, resource, look)) throw this.#denied(look);
    if (relation === undefined) return { json: renderWith(this.#face, resource, look, tree) };
    const related = follow(this.#face, resource, relation, look);
    const refusal = this.#face.switches.refusedRelations.get(relation);
    if (refusal !== undefined) throw new Refusal(refusal);
    if (related === 'refused') throw this.#denied(look);
    if (related === 'unknown') throw new Refusal(404);
    if ('many' in related) {
      const path = `${pathOf(resource)}/${relation}`;
      const fromRepository = false;
      const { name } = related;
      return { json: listJson(this.#face, related.many, { name, path, query, look, tree, fromRepository }) };
    }
    const shown = shownOne(this.#face, related.one, look);
    return shown === undefined ? { status: 204 } : { json: renderWith(this.#face, shown, look, tree) };
  }

  #signposting([what, id, form]: string[], look: Look): Reply {
    const { repository, switches } = this.#face;
    if (!switches.signposting) throw new Refusal(404);
    if (id === undefined) throw new Refusal(405);
    const item = repository.item(id);
    if (item === undefined) throw new Refusal(404);
    if (!item.discoverable || !mayReadParts(item, look.viewer, repository.now())) throw new Refusal(403);
    if (what === 'links') return { json: linksJson(this.#face, item), contentType: 'application/json' };
    if (what !== 'linksets') throw new Refusal(404);
    if (form === 'json')
      return { json: linksetJson(this.#face, item), contentType: 'application/linkset+json' };
    return { text: linksetText(this.#face, item), contentType: 'application/linkset' };
  }

  #checkId(id: string, look: Look): void {
    if (uuidPattern.test(id)) return;
    throw this.#face.switches.malformedIs401 ? this.#denied(look) : new Refusal(400);
  }

  #denied(look: Look): Refusal {
    return new Refusal(look.viewer === undefined ? 401 : 403);
  }

  #unknown(look: Look): Refusal {
    return this.#face.switches.unknownIs401 === true ? this.#denied(look) : new Refusal(404);
  }
}
