// Quepid scoring a case on its server: lib/scorer_logic.js and a scorer file in one JavaScript context.
// Arguments: qrels, run, then scorer file ("ndcg@10.js"); QUEPID names the folder with both files.
// From fetch_service.rb and javascript_scorer.rb: ratings arrive sorted upwards (the reversed copy is dropped),
// every returned document has a rating key (null when unrated), two decimals for each query, mean over all.
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const [qrelsFile, runFile, scorerFile = "ndcg@10.js"] = process.argv.slice(2);
const read = (name) => fs.readFileSync(name, "utf8").trim().split("\n").map((line) => line.split(/\s+/));
const source = (name) => fs.readFileSync(path.join(process.env.QUEPID, name), "utf8");

const ratings = {}, returned = {};
for (const [topic, , doc, grade] of read(qrelsFile)) (ratings[topic] ??= {})[doc] = Number(grade);
for (const [topic, , doc] of read(runFile)) (returned[topic] ??= []).push(doc);

const queries = {};
for (const topic of Object.keys({ ...ratings, ...returned })) {
  const rated = ratings[topic] ?? {};
  const bestDocs = Object.entries(rated).map(([id, rating]) => ({ id, rating })).sort((a, b) => a.rating - b.rating);
  const docs = (returned[topic] ?? []).map((id) => ({ id, rating: rated[id] ?? null }));
  const context = vm.createContext({ docs, bestDocs, console: { log() {} } });
  vm.runInContext(source("scorer_logic.js"), context);
  queries[topic] = Math.round(vm.runInContext(source(scorerFile) + "\ngetScore()", context) * 100) / 100;
}
const mean = Object.values(queries).reduce((sum, score) => sum + score, 0) / Object.keys(queries).length;
console.log(JSON.stringify({ queries, mean }));
