import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { defaultConfigFile } from '../../bridge/config/load-config.ts';
import { checkWritableFile } from '../../bridge/config/writable.ts';
import { explain } from '../../bridge/finding/explain.ts';
import { findAny, nameFrom } from '../../bridge/finding/find-any.ts';
import type { Found } from '../../bridge/finding/find-repository.ts';
import { identityHost } from '../../bridge/finding/found-settings.ts';
import { searchLimits } from '../../bridge/finding/search-budget.ts';
import type { Protocol } from '../../bridge/protocols.ts';
import { freeName, refusePageName } from '../../bridge/sources/new-source.ts';
import { parseConfig } from '../../core/config/config.ts';
import { BridgeError } from '../../core/errors.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { configText } from './init-config.ts';

export interface InitFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly contact?: string;
  readonly adapter?: Protocol;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly verbose: boolean;
}

/** Finds what can be harvested behind an address somebody pasted, and writes the configuration for it. */
export async function initCommand(
  address: string,
  flags: InitFlags,
  io: CommandIo,
  limits = searchLimits,
): Promise<number> {
  const file = resolve(io.cwd, flags.config ?? defaultConfigFile);
  if (existsSync(file) && !flags.force && !flags.dryRun) {
    throw new BridgeError(
      'usage',
      `${file} exists already; use --force to replace it, or add the source by hand`,
    );
  }
  if (flags.name !== undefined) refusePageName(flags.name);
  if (!flags.dryRun) checkWritableFile(file);
  const found = await findAny(address, {
    ...flags,
    telling: flags.verbose ? 'all' : 'usual',
    limits,
    signal: io.abort,
  });
  const {
    name = freeName(nameFrom(found.url), new Set()),
    baseUrl = 'http://localhost:8080',
    contact,
  } = flags;
  const text = configText(found, { name, baseUrl, contact });
  // What we write must be what we read.
  parseConfig(parse(text));
  const sentences = explain(found, (adapter) => `rsbridge init ${address} --adapter ${adapter}`);
  if (!flags.dryRun) writeFileSync(file, text);
  if (flags.dryRun && !flags.json) {
    for (const sentence of sentences) say(io, sentence);
    // As bytes: what a person typed into the address is needed in the file.
    io.stdout.write(Buffer.from(text));
    return exitCodes.ok;
  }
  const facts = { name, ...factsOf(found), sentences, info: found.info };
  printResult(
    io,
    flags.json,
    flags.dryRun ? { ...facts, config: text } : { file, ...facts },
    [...summary(found), ...sentences, `Wrote ${file}. Next: rsbridge serve`].join('\n'),
  );
  return exitCodes.ok;
}

function factsOf(found: Found): object {
  const { adapter, url, api, apiTrouble, oai } = found;
  if (adapter === 'resourcesync') return { adapter, url };
  if (adapter === 'oai-pmh') return { adapter, url, ...(api === undefined ? {} : { api, apiTrouble }) };
  const { host, isStated } = identityHost(found);
  return {
    adapter,
    url,
    version: api?.version,
    oai: oai?.url,
    identity: { kind: 'oai', host, isStated },
  };
}

function summary({ url, info }: Found): readonly string[] {
  const formats = info.formats.filter(({ selected }) => selected).map((format) => format.name);
  return [
    `Found ${info.name}: ${info.protocol} ${info.protocolVersion} at ${url}`,
    formats.length === 0
      ? 'Formats to publish: all that its metadata comes in.'
      : `Formats to publish: ${formats.join(', ')}. Deleted records: ${info.deletedRecords}.`,
  ];
}
