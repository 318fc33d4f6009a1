import { expect, test } from 'vitest';
import { httpSettings, upstreamFileSettings } from '../../src/bridge/bridge.ts';
import { parseConfig, type SourceConfig } from '../../src/core/config/config.ts';

test('what a source may be slow at holds for its endpoint and for the files that are handed through', () => {
  const url = 'https://repo.example.org/oai';
  const config = parseConfig({ sources: { usual: { url }, slow: { url, slowestBytesPerSecond: 16 } } });
  for (const [name, bytesPerSecond] of [
    ['usual', 256],
    ['slow', 16],
  ] as const) {
    const source = config.sources[name] as SourceConfig;
    const slowestRate = { graceSeconds: 120, bytesPerSecond };
    expect(httpSettings(source, config)).toMatchObject({ slowestRate });
    expect(upstreamFileSettings(source, config)).toMatchObject({ slowestRate });
  }
});
