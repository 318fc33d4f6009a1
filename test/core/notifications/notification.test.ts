import { describe, expect, test } from 'vitest';
import { longestNotification, readNotification } from '../../../src/core/notifications/notification.ts';
import { announcedReview, offeredReview } from '../../house/core/notifications.ts';

const inbox = 'https://bridge.example.org/rs/inbox';

const read = (value: unknown) => readNotification(Buffer.from(JSON.stringify(value)), inbox);
const faultsOf = (value: unknown) => {
  const found = read(value);
  return 'faults' in found ? found.faults : [];
};

describe('a notification of COAR Notify', () => {
  test('names the item that it is about, whoever it is from', () => {
    expect(read(announcedReview)).toEqual({
      notification: {
        id: 'urn:uuid:94ecae35-dcfd-4182-8550-22c7164fe23f',
        pattern: 'announce-review',
        origin: 'https://review.example.com/system',
        originInbox: 'https://review.example.com/inbox/',
        inReplyTo: 'urn:uuid:0370c0fb-bb78-4a9b-87f5-bed307a509dd',
        names: ['https://repo.example.org/handle/123456789/12', 'https://doi.org/10.5555/12345680'],
        canonical: expect.stringMatching(/^\{"@context":\[.*\]\}$/),
      },
    });
  });

  test('an offer is about its object', () => {
    expect(read(offeredReview)).toMatchObject({
      notification: { pattern: 'request-review', names: ['https://hdl.handle.net/123456789/12'] },
    });
  });

  test('contexts with a slash at their ends, types with whole addresses and single values are the same', () => {
    const written = {
      ...announcedReview,
      '@context': ['https://www.w3.org/ns/activitystreams', 'https://coar-notify.net/'],
      type: [
        'http://purl.org/coar/notify_vocabulary/ReviewAction',
        'https://www.w3.org/ns/activitystreams#Announce',
      ],
      target: { ...announcedReview.target, inbox: `http://bridge.example.org/rs/inbox/` },
    };
    expect(read(written)).toMatchObject({ notification: { pattern: 'announce-review' } });
  });

  test('an answer to one of ours is about no item', () => {
    const accept = {
      ...offeredReview,
      type: 'Accept',
      inReplyTo: 'urn:uuid:1',
      object: { ...offeredReview, id: 'urn:uuid:1' },
    };
    expect(read(accept)).toMatchObject({
      notification: { pattern: 'accept', names: [], inReplyTo: 'urn:uuid:1' },
    });
    expect(faultsOf({ ...accept, object: { id: 'urn:uuid:2' } })[0]).toMatch(
      /^`object.id` is not the one of `inReplyTo`/,
    );
  });

  test('a relation names both of its ends', () => {
    const relation = {
      ...announcedReview,
      type: ['Announce', 'coar-notify:RelationshipAction'],
      object: {
        id: 'urn:uuid:2',
        type: 'Relationship',
        'as:subject': 'https://data.example.org/9',
        'as:relationship': 'http://purl.org/vocab/frbr/core#supplement',
        'as:object': 'https://repo.example.org/handle/123456789/12',
      },
    };
    expect(read(relation)).toMatchObject({
      notification: {
        names: [
          'https://repo.example.org/handle/123456789/12',
          'https://doi.org/10.5555/12345680',
          'https://data.example.org/9',
        ],
      },
    });
    expect(faultsOf({ ...relation, object: { id: 'urn:uuid:2' } })).toHaveLength(3);
  });

  test.each([
    ['no JSON', 'nothing', /not a JSON object/],
    ['a list', [announcedReview], /not a JSON object/],
    [
      'another context',
      { ...announcedReview, '@context': 'https://www.w3.org/ns/activitystreams' },
      /coar-notify\.net/,
    ],
    ['an id that is no URI', { ...announcedReview, id: '12' }, /^`id` is not a URI/],
    ['an endless id', { ...announcedReview, id: `urn:x:${'9'.repeat(1100)}` }, /^`id` is not a URI/],
    ['an id with a space', { ...announcedReview, id: 'urn:uuid: 1' }, /^`id` is not a URI/],
    ['a type of another protocol', { ...announcedReview, type: 'Create' }, /^`type` is none of a pattern/],
    [
      'half a pattern',
      { ...announcedReview, type: ['coar-notify:ReviewAction'] },
      /^`type` is none of a pattern/,
    ],
    ['two patterns', { ...announcedReview, type: ['Announce', 'Offer'] }, /^`type` is none of a pattern/],
    ['no origin', { ...announcedReview, origin: undefined }, /^`origin.id` is not a URI/],
    [
      'an inbox that is no web address',
      { ...announcedReview, origin: { ...announcedReview.origin, inbox: 'file:///etc' } },
      /^`origin.inbox`/,
    ],
    [
      'the inbox of another',
      { ...announcedReview, target: { ...announcedReview.target, inbox: 'https://other.example.org/inbox' } },
      /this inbox is https:\/\/bridge/,
    ],
    ['no object', { ...announcedReview, object: 'x' }, /^`object.id`/],
    ['no context', { ...announcedReview, context: undefined }, /^`context.id`/],
  ])('%s is refused with what is wrong', (_name, value, fault) => {
    expect(faultsOf(value).join('\n')).toMatch(new RegExp(fault.source, 'm'));
  });

  test('whatever the bytes are, it says what is wrong and breaks nothing', () => {
    for (const bytes of [
      Buffer.from([0xff, 0xfe]),
      Buffer.from('['.repeat(longestNotification)),
      Buffer.alloc(0),
    ])
      expect(readNotification(bytes, inbox)).toEqual({ faults: ['it is not a JSON object in UTF-8'] });
    for (const key of Object.keys(announcedReview))
      for (const value of [null, 0, [], {}, [[{}]], { id: { id: 'x' } }, '\0', true])
        expect(() => read({ ...announcedReview, [key]: value })).not.toThrow();
  });

  test('a crowd of names is not looked for', () => {
    const many = Array.from({ length: 50 }, (_, index) => `https://x.example.org/${index}`);
    const { context } = announcedReview;
    const found = read({ ...announcedReview, context: { ...context, 'ietf:cite-as': many } });
    expect(found).toMatchObject({ notification: { names: [context.id, 'https://x.example.org/0'] } });
  });
});
