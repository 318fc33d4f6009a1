import { basename, dirname } from 'node:path';
import { filesBelow, filesImportedBy } from './rooms.ts';

/** Of a room's folders, and of the files at its top that folders share: which of them each imports, by name. */
export type Arrows = Readonly<Record<string, string>>;

/**
 * The picture in CONTRIBUTING.md, arrow by arrow. What else lies at the top of a room is its main files: they may import
 * all of it, and no folder imports them.
 */
export const arrowsWithin: Readonly<Record<string, Arrows>> = {
  'src/core': {
    addresses: 'reasons',
    alerts: 'time',
    comparison: 'xml',
    config: 'access addresses contracts crosswalks notifications push reasons',
    contracts: 'reasons',
    crosswalks: 'contracts crosswalks/vocabularies descriptions dspace',
    'crosswalks/vocabularies': 'descriptions',
    descriptions: 'addresses contracts',
    dspace: 'addresses contracts',
    files: 'addresses contracts',
    following: 'contracts',
    mapping: 'addresses contracts files payloads',
    notifications: 'addresses contracts descriptions',
    push: 'addresses',
    signposting: 'addresses contracts',
    time: 'config contracts',
  },
  'src/demo': {
    files: 'records',
    provider: 'files records',
  },
  'src/oai': {
    ore: 'xml-text.ts',
    sets: 'protocol.ts',
  },
  'adapters/dspace': {
    items: 'rest',
    search: 'items rest',
    walks: 'items rest search',
  },
  'adapters/dspace-legacy': {
    items: 'rest',
    walks: 'items rest',
  },
  'adapters/oai-pmh': {
    endpoint: 'files namespaces wire',
    files: 'files/formats files/reading',
    'files/formats': 'files/reading namespaces',
    items: 'endpoint files files/reading namespaces windows wire',
    lists: 'endpoint items tokens verdicts windows wire',
    passes: 'items lists verdicts windows wire',
    threads: 'items namespaces wire',
    tokens: 'endpoint wire',
    verdicts: 'endpoint windows wire',
    windows: 'endpoint files',
    wire: 'namespaces',
  },
  'adapters/resourcesync': {
    items: 'reading',
    passes: 'items reading',
  },
  'src/store': {
    admin: 'engine',
    alerts: 'admin engine runs',
    backup: 'drivers engine schema',
    changes: 'drivers engine files payloads plans rows runs',
    engine: 'drivers replicas',
    files: 'engine plans rows tally',
    following: 'engine',
    history: 'drivers engine payloads reading removal rows runs sources',
    hosts: 'engine',
    joint: 'engine',
    moves: 'engine objects payloads',
    notifications: 'engine',
    oai: 'engine rows',
    objects: 'engine',
    pages: 'changes drivers engine files history objects payloads plans removal rows runs sources',
    payloads: 'drivers engine objects rows schema tally',
    plans: 'rows',
    presence: 'engine runs',
    push: 'engine runs',
    reading: 'drivers engine files joint payloads presence rows runs sources',
    removal: 'changes drivers engine files joint oai payloads plans rows runs search tally',
    rows: 'engine',
    runs: 'drivers engine rows sources',
    schema: 'drivers engine',
    search: 'engine payloads rows',
    sources: 'engine joint plans rows',
    tally: 'engine rows',
  },
  'src/harvest': {
    files: 'file-rules.ts files/checks files/mirror harvest-source.ts http',
    'files/checks': 'harvest-source.ts http',
    'files/mirror': 'files/checks http threads',
    'files/upstream': 'files/checks http',
    'harvest-source.ts': 'lessons.ts',
    http: 'http/whole',
    identifiers:
      'file-rules.ts harvest-source.ts introduction.ts items report.ts run run-facts.ts run-lease.ts vanished',
    'introduction.ts': 'harvest-source.ts',
    items: 'file-rules.ts harvest-source.ts introduction.ts mapped-page.ts run-lease.ts',
    'mapped-page.ts': 'file-rules.ts harvest-source.ts',
    politeness: 'http',
    run: 'harvest-source.ts report.ts run-lease.ts vanished',
    'run-facts.ts': 'harvest-source.ts',
    'run-lease.ts': 'file-rules.ts harvest-source.ts',
    vanished: 'file-rules.ts harvest-source.ts introduction.ts items run-lease.ts',
  },
  'src/publish': {
    changes: 'disk documents',
    disk: 'bucket',
    documents: 'disk',
    dump: 'bucket disk documents',
    published: 'bucket disk documents dump',
    sets: 'bucket changes disk documents dump policy.ts published',
    time: 'disk documents published',
  },
  'src/resourcesync': {
    discovery: 'reading source-port.ts',
    following: 'reading',
    packages: 'documents',
    reading: 'documents source-port.ts',
  },
  'src/conformance': {
    channels: 'documents survey',
    discovery: 'documents rules survey',
    packages: 'documents rules survey',
    rules: 'documents',
    samples: 'documents rules survey',
    survey: 'documents rules',
  },
  'src/oai-conformance': {
    answers: 'checks',
    protocol: 'answers checks records',
    records: 'answers checks',
  },
  'src/sync': {
    bucket: 'places sinks state',
    content: 'choice places sinks stages state unpacking',
    ocfl: 'sinks',
    places: 'sinks state',
    stages: 'choice state',
    unpacking: 'sinks',
    warc: 'sinks state',
  },
  'src/simulate': {
    documents: 'repository settings.ts',
    faults: 'documents repository server settings.ts',
    repository: 'settings.ts',
    server: 'documents repository settings.ts',
  },
  'src/export': {
    past: 'site',
    site: 'tree',
  },
  'src/server': {
    access: 'connections deps.ts http past privacy.ts',
    admin:
      'admin/access admin/activity admin/guard admin/kept admin/live admin/log admin/notifications admin/page admin/problems admin/sources admin/storage admin/subscriptions admin/takedown deps.ts',
    'admin/access': 'admin/guard admin/page deps.ts html http words',
    'admin/activity': 'admin/guard admin/live admin/page deps.ts html http measures.ts words',
    'admin/guard': 'connections deps.ts http',
    'admin/kept': 'admin/guard admin/page deps.ts html http words',
    'admin/live': 'admin/guard admin/page html http words',
    'admin/log': 'admin/guard admin/page html http words',
    'admin/notifications': 'admin/guard admin/page html words',
    'admin/page': 'admin/guard deps.ts html http words',
    'admin/problems': 'admin/guard admin/page admin/sources html http words',
    'admin/runs': 'admin/page html words',
    'admin/sources': 'admin/activity admin/guard admin/live admin/page admin/runs deps.ts html http words',
    'admin/storage': 'admin/guard admin/page html measures.ts words',
    'admin/subscriptions': 'admin/guard admin/page deps.ts html words',
    'admin/takedown': 'admin/guard admin/page deps.ts html words',
    api: 'admin/access admin/activity admin/guard admin/kept admin/live admin/log admin/problems admin/sources admin/takedown deps.ts http measures.ts openapi',
    'deps.ts':
      'answering-processes.ts connections follower.ts inbox.ts measures.ts past.ts privacy.ts request-metrics.ts words',
    direct: 'connections deps.ts http memento operations past repeated resources',
    documents: 'deps.ts html http pages past repeated until-withheld.ts words',
    files: 'deps.ts http until-withheld.ts',
    following: 'deps.ts follower.ts http openapi',
    html: 'deps.ts words words/refusals',
    http: 'deps.ts html words',
    inbox: 'admin/guard deps.ts http inbox.ts openapi',
    items: 'deps.ts files html http pages past past.ts words',
    memento: 'deps.ts html http pages past past.ts repeated words',
    oai: 'deps.ts http items oai/waiting',
    'oai/waiting': 'deps.ts http',
    openapi: 'deps.ts http',
    operations: 'access connections deps.ts http measures.ts pages privacy.ts request-metrics.ts',
    pages: 'deps.ts html http inbox.ts openapi words',
    past: 'deps.ts files http past.ts privacy.ts repeated until-withheld.ts',
    push: 'access deps.ts http',
    repeated: 'connections deps.ts privacy.ts',
    resources: 'deps.ts files http past repeated',
    search: 'deps.ts html http pages privacy.ts words',
    shared: 'deps.ts html http pages words',
    words: 'words/refusals',
    'until-withheld.ts': 'http privacy.ts',
  },
  'src/bridge': {
    alerts: 'alerts/channels state stored-bridge.ts version.ts work',
    admin: 'config push sources stored-bridge.ts',
    'answering.ts':
      'admin alerts bridge.ts drafts following notifications oai open-files.ts push search state version.ts withdrawals',
    'bridge.ts': 'config log.ts presence stored-bridge.ts system-clock.ts version.ts',
    crew: 'answering.ts version.ts',
    drafts: 'bridge.ts config finding log.ts protocols.ts sources',
    finding: 'bridge.ts log.ts protocols.ts system-clock.ts',
    following: 'bridge.ts work',
    'log.ts': 'presence',
    presence: 'version.ts',
    notifications: 'alerts bridge.ts push sources stored-bridge.ts work',
    oai: 'bridge.ts work',
    push: 'alerts/channels bridge.ts sources state stored-bridge.ts version.ts work',
    quality: 'bridge.ts drafts',
    search: 'bridge.ts work',
    sources: 'config stored-bridge.ts work',
    state: 'bridge.ts stored-bridge.ts work',
    'stored-bridge.ts': 'config object-storage.ts signals.ts system-clock.ts takeover-talk.ts',
    withdrawals: 'bridge.ts sources work',
    'older-database.ts': 'bridge.ts',
    work: 'bridge.ts config older-database.ts stored-bridge.ts',
  },
  'src/cli': {
    alerts: 'terminal',
    admin: 'history terminal',
    backup: 'terminal',
    check: 'terminal',
    crosswalk: 'terminal',
    doctor: 'backup check terminal',
    commands: 'terminal',
    demo: 'commands terminal',
    export: 'terminal',
    harvest: 'commands terminal',
    history: 'terminal',
    init: 'terminal',
    log: 'history terminal',
    manual: 'terminal',
    problems: 'terminal',
    quality: 'terminal',
    runs: 'terminal',
    simulate: 'terminal',
    sources: 'terminal',
    status: 'terminal',
    subscriptions: 'status terminal',
    sync: 'terminal validate',
    validate: 'terminal',
  },
};

/** As the imports are. */
export function arrowsOf(room: string): Arrows {
  const imports = filesBelow(room).flatMap((file) =>
    filesImportedBy(file)
      .filter((target) => target.startsWith(`${room}/`))
      .map((target) => [placeOf(file, room), placeOf(target, room)] as const),
  );
  const between = imports.filter(([from, to]) => from !== to);
  const shared = new Set(between.filter(([from]) => !from.endsWith('.ts')).map(([, to]) => to));
  // What a shared file imports from the top is shared with it.
  for (const place of shared) {
    if (place.endsWith('.ts')) for (const [from, to] of between) if (from === place) shared.add(to);
  }
  const arrows: Record<string, string[]> = {};
  for (const [from, to] of between) {
    if (from.endsWith('.ts') && !shared.has(from)) continue;
    arrows[from] ??= [];
    if (!arrows[from].includes(to)) arrows[from].push(to);
  }
  return Object.fromEntries(
    Object.entries(arrows)
      .sort()
      .map(([from, to]) => [from, to.sort().join(' ')]),
  );
}

/** The folder in its room, or the name of a file at the top of it; the contracts of the core are one. */
function placeOf(file: string, room: string): string {
  const folder = dirname(file);
  if (folder === 'src/core/upstream') return 'contracts';
  if (folder !== room) return folder.slice(room.length + 1);
  return room === 'src/core' ? 'contracts' : basename(file);
}
