import type { Climate, Day } from './storm-weather.ts';

/** Storms that were hard to weather once, before all others. */
export const rememberedStorms: [Climate, Day[]][] = [
  // A first harvest in windows, broken off several times, where tokens name the next page.
  [
    {
      records: 25,
      pageSize: 5,
      formats: ['oai_dc', 'mods'],
      requestsPerHost: 1,
      wrong: { encoding: 'ISO-8859-1 declared', untilIsExclusive: true, localTimeHours: 9 },
    },
    [
      {
        edits: [
          { kind: 'edit', pick: 106 },
          { kind: 'edit silently', pick: 4 },
          { kind: 'restore', pick: 343 },
          { kind: 'edit silently', pick: 1 },
          { kind: 'remove', pick: 239 },
          { kind: 'edit silently', pick: 766 },
        ],
        wrong: {
          scrollContexts: 1,
          tokenLifetimeSeconds: 90,
          tokensNameTheNextPage: true,
          tokensLookEncoded: true,
          largestList: 20,
          htmlEvery: 6,
          busyEvery: 7,
          retryAfterAlways: 60,
          gzip: 'broken',
          cutOffEvery: 5,
          cutOff: 'connection',
          datestampsAreNow: true,
          headersTellCreation: true,
          strangeTombstones: 3,
          prolog: 'byte order mark',
        },
        mode: 'full',
        seconds: 60,
      },
      {
        edits: [
          { kind: 'move silently', pick: 969 },
          { kind: 'edit silently', pick: 388 },
        ],
        wrong: {
          tokensLookEncoded: true,
          largestList: 20,
          wrongBaseUrl: true,
          gzip: 'broken',
          refusesDeclaredGranularity: true,
          granularityText: 'yyyy-mm-dd',
          datestampsAreNow: true,
          datestampForm: 'future',
          strangeTombstones: 3,
          listedTwice: ['oai:hostile.example.org:2'],
          formatsAreWrong: true,
          identifyShuffled: true,
          abouts: 2,
        },
        mode: 'full',
        seconds: 3600,
      },
      {
        edits: [{ kind: 'vanish', pick: 889 }],
        wrong: {
          emptyPageAtTheEnd: true,
          lastToken: 'empty',
          cursor: 'pages',
          widestWindowDays: 5,
          largestList: 20,
          errorStatus: 422,
          busyEvery: 7,
          gzip: 'declared only',
          cutOff: 'body',
          earliestDatestamp: 'aaaa-bb-cc',
          listedTwice: ['oai:hostile.example.org:2'],
          formatsAreWrong: true,
        },
        mode: 'incremental',
        seconds: 90000,
      },
    ],
  ],
];
