// Phrases that are not usual in texts about Prometheus and Kubernetes, each with a replacement. Only phrases that are always wrong:
// "rounded" and "because" are allowed.

export interface Banned {
  readonly phrase: RegExp;
  readonly write: string;
}

export const banned: readonly Banned[] = [
  // Not as the name of a folder.
  { phrase: /(?<![/\w])verdicts?\b(?!\/)/, write: 'condition, or probe result' },
  { phrase: /(?<![/\w])evidence\b(?!\/)/, write: 'event history' },
  { phrase: /(?<![{.])\b(?:cadences?|rhythm)\b/, write: 'check interval' },
  { phrase: /\brounds? of (?:polls?|(?:the node's |its )?(?:health )?checks?)\b/, write: 'poll, or health check run' },
  { phrase: /\b(?:is|are|all|was|were|be|not|looks|stays?) well\b(?![ -](?:as|known|kept))/, write: 'healthy' },
  { phrase: /\bcomes? and goe?s?\b/, write: 'is flapping' },
  { phrase: /\bheard nothing\b/, write: 'no inbound messages' },
  { phrase: /\bspeaks? of\b/, write: 'is about, reports' },
  { phrase: /\btells\b|\b(?:is|are|be|been|was|were) told\b/, write: 'reports, shows' },
  { phrase: /\bat odds\b/, write: 'disagrees with' },
  { phrase: /\bof late\b/, write: 'recently' },
  { phrase: /\banew\b/, write: 'again, reset' },
  { phrase: /\bshould(?: not)? have come\b/, write: 'unexpected alerts, missing alerts' },
  { phrase: /\bcounts? from the next start\b/, write: 'restart required' },
  { phrase: /\bin force\b/, write: 'the current configuration, keeping the previous configuration' },
  { phrase: /\bload(?:ed|s)? again\b/, write: 'reloaded' },
  { phrase: /\blook(?:ed|s)? at from time to time\b/, write: 'polling every …' },
  { phrase: /\bthe own pod\b(?! of)/, write: "the pod's labels, its pod" },
  { phrase: /\bstill serving\b/, write: 'draining connections' },
  { phrase: /\bby how (?:it|they) (?:ended|went)\b/, write: 'by outcome' },
  { phrase: /\bclock less\b|\bless the (?:exporter|field)/, write: 'minus' },
  { phrase: /\bc[ao]me to disk\b/, write: 'written to disk; dropped' },
  { phrase: /\bonce made well-formed\b/, write: 'after sanitization' },
  { phrase: /\bloose fields?\b/, write: 'unmapped fields' },
  { phrase: /\bwas looked at\b/, write: 'verified, observed' },
  { phrase: /\b(?:which|what) part of\b/, write: 'fraction of' },
  { phrase: /\bgone on from\b/, write: 'resumed at' },
  { phrase: /\basked back\b/, write: 'cross-checked' },
  { phrase: /\bno hash\b|\bits doubles\b/, write: 'hash errors, duplicates' },
  { phrase: /\bcould not be asked\b|\btake the question\b/, write: 'request failed or was rejected' },
  { phrase: /\bstays true\b|\b(?:is|was) true (?:then|before)\b|\bthe truth\b(?! table)/, write: 'is current, is stale; state' },
  { phrase: /\bnobody knows\b|\bis known of (?:it|them)\b|\bknows? nothing of\b/, write: 'unknown; the state of' },
  { phrase: /\b[Ff]or how long it must be so\b/, write: 'how long the condition must hold' },
  { phrase: /\bis not asked again\b|\bin earnest\b|\bold world\b|\bnobody is looking\b/, write: 'a plain sentence' },
  {
    phrase: /\b(?:is|are) not known here\b|\bis no parameter\b|\bis given twice, first\b/,
    write: 'unknown key, unknown parameter, duplicate',
  },
  {
    phrase: /\bas far as it can be believed\b|\btake(?:n)? (?:it )?into service\b/,
    write: 'its report is current; can receive traffic',
  },
  { phrase: /\b[Nn]obody publishes\b|\bcould not be had\b/, write: 'is not published yet; could not be read' },
  { phrase: /\b[Ww]hoever\b/, write: 'a client that, anyone who; or leave it out' },
  { phrase: /\b[Ww]ho (?:had|has|gets|got|listens there)\b/, write: 'the owner, the client, the process that' },
  {
    phrase:
      /\b[Nn]obody(?:'s business| (?:any more|else|had|keeps|knew|looks|looked|said|says|saw|sets|uses|watche[sd]|writes))\b/,
    write: 'is not …, no client; the passive is better than nobody',
  },
  {
    phrase: /\b(?:number|configuration|list|block|revision|one) of (?:before|now)\b/,
    write: 'the previous, the last known, the current',
  },
  { phrase: /\b[Ll]earnt\b/, write: 'inferred' },
  { phrase: /\bis loud\b/, write: 'is reported in the log, a metric and on the status page' },
  {
    // "there is no target" is plain; "a file that is no YAML" is not. docs/scenario.md has `is no validator`.
    phrase: /(?<![Tt]here )\b(?:is|are|was) no (?!longer\b|more\b|validator\b)[A-Za-z]\w+/,
    write: 'is not a …',
  },
  { phrase: /\bstole\b/, write: 'scheduling delay' },
  { phrase: /\bone look at\b|\b[Hh]ow it came\b|\b[Ii]n trouble of\b/, write: 'one poll of; history; failing checks' },
  {
    phrase: /\bworth nothing\b|\bcannot be believed\b|\b(?:be|is) blamed\b/,
    write: 'unreliable, may be outdated; does not count',
  },
  { phrase: /\bheld against\b|\bwhat it likes\b|\bno old number looks new\b/, write: 'validated against; V8 chooses; stale' },
  { phrase: /\bby (?:the )?hundreds?\b/, write: 'hundreds of' },
  { phrase: /\bis taken for the\b/, write: 'is assumed to be' },
  { phrase: /\bthe patience is\b/, write: 'failAfter tolerates' },
  { phrase: /\bwants .{1,40} said\b|\babove not said\b/, write: 'requires' },
  { phrase: /\bin the place of\b|\bis none of\b|\bis said to be\b/, write: 'instead of; must be one of; is reported' },
  { phrase: /\bwho asks\b|\bwhat there is\b|\bfor as long as\b|\bas ever\b/, write: 'the client; leave it out; while' },
  { phrase: /\bends? itself\b|\btakes? along\b|\bstands? still\b/, write: 'shuts down; includes; stops' },
  { phrase: /\bcommonest\b|\bprice of the fee\b|\bbelongs? into\b/, write: 'most common; fee; belongs to' },
  { phrase: /\bthe way (?:in|out|opens?|closed)\b|\bno way to the\b/, write: 'the network; is reachable again, is unreachable' },
  {
    phrase: /\bgoes? on (?:by itself|when)\b|\bone more is refused\b/,
    write: 'continues automatically; further ones are rejected',
  },
  {
    phrase: /\bcounts? for nothing\b|\bwhatever becomes\b|\bmake (?:it|them) of\b/,
    write: 'has no effect; even if; a plain sentence',
  },
  { phrase: /snowgauge_(?:evidence|index_gaps|health_cadence)|LabelsNotKept/, write: 'the name that the tables have' },
];

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

export const linesOf = (text: string): readonly Line[] => text.split('\n').map((line, at) => ({ number: at + 1, text: line }));

// Templates may be nested; the code has at most two levels.
const template = String.raw`\x60(?:[^\x60\\$]|\\.|\$(?!\{)|\$\{(?:[^\x60{}]|\{[^{}]*\}|\x60(?:[^\x60\\$]|\\.|\$(?!\{)|\$\{[^\x60{}]*\})*\x60)*\})*\x60`;
const token = new RegExp(
  String.raw`//[^\n]*|/\*[\s\S]*?\*/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|${template}|/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*`,
  'g',
);

/** Strings and templates of the code, without import paths. Comments and names are not shown to users. */
export const literalsOf = (code: string): readonly Line[] => {
  const found: Line[] = [];
  for (const { 0: text, index } of code.matchAll(token)) {
    if (!/^['"`]/.test(text) || /\b(?:from|import\(?)\s*$/.test(code.slice(Math.max(0, index - 12), index))) continue;
    const first = code.slice(0, index).split('\n').length;
    found.push(...text.split('\n').map((line, at) => ({ number: first + at, text: line })));
  }
  return found;
};

/** One message for each banned phrase in the lines. */
export const findings = (file: string, lines: readonly Line[]): readonly string[] =>
  lines.flatMap(({ number, text }) =>
    banned.flatMap(({ phrase, write }) => {
      const [was] = phrase.exec(text) ?? [];
      return was === undefined ? [] : [`${file}:${number}: "${was}": write "${write}"`];
    }),
  );
