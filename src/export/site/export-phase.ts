/**
 * What an export does, one after the other. `changes`: the whole journal is read for its patches; `removals`: what may
 * have to go is looked at.
 */
export type ExportPhase = 'resources' | 'changes' | 'pages' | 'documents' | 'removals';
