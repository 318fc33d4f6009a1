/** As services write them that review what repositories have; the target is the bridge of `test/house/server`. */
const bridge = {
  id: 'https://bridge.example.org/rs',
  inbox: 'https://bridge.example.org/rs/inbox',
  type: 'Service',
};

export const announcedReview = {
  '@context': ['https://www.w3.org/ns/activitystreams', 'https://coar-notify.net'],
  actor: { id: 'https://review.example.com', name: 'Review Service', type: 'Service' },
  context: {
    id: 'https://repo.example.org/handle/123456789/12',
    'ietf:cite-as': 'https://doi.org/10.5555/12345680',
    type: 'sorg:AboutPage',
  },
  id: 'urn:uuid:94ecae35-dcfd-4182-8550-22c7164fe23f',
  inReplyTo: 'urn:uuid:0370c0fb-bb78-4a9b-87f5-bed307a509dd',
  object: { id: 'https://review.example.com/review/1', type: ['Page', 'sorg:Review'] },
  origin: {
    id: 'https://review.example.com/system',
    inbox: 'https://review.example.com/inbox/',
    type: 'Service',
  },
  target: bridge,
  type: ['Announce', 'coar-notify:ReviewAction'],
};

export const offeredReview = {
  '@context': ['https://www.w3.org/ns/activitystreams', 'https://coar-notify.net'],
  id: 'urn:uuid:0370c0fb-bb78-4a9b-87f5-bed307a509dd',
  object: { id: 'https://hdl.handle.net/123456789/12', type: ['Page', 'sorg:AboutPage'] },
  origin: {
    id: 'https://repo.example.org',
    inbox: 'https://repo.example.org/server/ldn/inbox',
    type: 'Service',
  },
  target: bridge,
  type: ['Offer', 'coar-notify:ReviewAction'],
};
