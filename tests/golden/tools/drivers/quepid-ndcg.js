// Quepid: its ScorerFactory.js runs one of its scorer files; stand-ins for the few angular calls it makes.
// Arguments: qrels, run, then scorer file ("ndcg@10.js"); QUEPID names the folder with both files.
// One query for each topic of either file; a query without ratings or results keeps what the factory returns.
const fs = require("fs");
const path = require("path");
const [qrelsFile, runFile, scorerFile = "ndcg@10.js"] = process.argv.slice(2);
const read = (name) => fs.readFileSync(name, "utf8").trim().split("\n").map((line) => line.split(/\s+/));
const source = (name) => fs.readFileSync(path.join(process.env.QUEPID, name), "utf8");

let build;
const angular = {
  module: () => ({ factory: (_, parts) => { build = parts.at(-1); } }),
  isUndefined: (value) => value === undefined,
  isString: (value) => typeof value === "string",
  isNumber: (value) => typeof value === "number",
  forEach: (items, visit) => Object.entries(items).forEach(([key, value]) => visit(value, key)),
};
const defer = () => {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
};
new Function("angular", source("ScorerFactory.js"))(angular);
const Scorer = build({ defer }, (run) => run());

const ratings = {}, returned = {};
for (const [topic, , doc, grade] of read(qrelsFile)) (ratings[topic] ??= {})[doc] = Number(grade);
for (const [topic, , doc] of read(runFile)) (returned[topic] ??= []).push(doc);

(async () => {
  const queries = {};
  for (const topic of Object.keys({ ...ratings, ...returned })) {
    const rated = ratings[topic] ?? {};
    const best = Object.entries(rated).map(([id, rating]) => ({ id, rating })).sort((a, b) => b.rating - a.rating);
    const docs = (returned[topic] ?? []).map((id) => ({ hasRating: () => id in rated, getRating: () => rated[id] ?? null }));
    const scorer = new Scorer({ code: source(scorerFile), scale: [0, 1, 2, 3], scale_with_labels: {} });
    queries[topic] = await scorer.score({}, docs.length, docs, best, {});
  }
  const counted = Object.values(queries).filter((score) => typeof score === "number");
  const mean = counted.reduce((sum, score) => sum + score, 0) / counted.length;
  console.log(JSON.stringify({ queries, mean }));
})();
