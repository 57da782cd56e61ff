// Headings that are written in short, by other programs, or in German and French, each with the English heading that
// means the same. A list takes the first one that it knows.
import { listAt } from "../sequences/sequences.ts";
import { headerKey } from "./csv.ts";

/**
 * English headings, and what they are called elsewhere; where one word has several meanings, it stands with each of
 * them.
 */
const headings = `Department: Dept, Dep, Dept Name, Department Name
Category: Cat, Type, Kind
Kind: Cat, Category, Type
Description: Desc, Descr, Details
Note: Notes, Comment, Comments, Remark, Remarks, Memo
Quantity: Qty, Occurences, Occurrences
Status: State, Stat
Name: Nom complet, Nom, Mitarbeiter, Mitarbeiterin, Mitarbeiter/in, Crewmitglied, Technicien, Stabmitglied
First Name: Vorname, Rufname, Prénom
Last Name: Nachname, Familienname, Zuname, Nom de famille
Position: Funktion, Fonction, Aufgabe, Tätigkeit, Beruf, Poste, Métier
Role: Rolle, Rôle
Department: Abteilung, Departement, Gewerk, Bereich, Département, Équipe, Service, Zuständig, Responsable
HOD: Abteilungsleiter, Abteilungsleitung, Leitung, Chef de poste, Chef de département
Active: Aktiv, Actif
Vendor: Lieferant, Firma, Dienstleister, Auftragnehmer, Kreditor, Fournisseur, Prestataire, Société
Slug: Kürzel, Abkürzung, Abréviation
Group: Gruppe, Groupe
Mission: Auftrag
Phases: Phase, Phasen
Delivery: Lieferung, Ablieferung, Auslieferung, Übergabe, Livraison, Livrable, Remise
Title: Titel, Bezeichnung, Titre, Intitulé
Ref: Referenz, Kennung, Référence
Status: Stand, Zustand, Statut, État
Kind: Art, Typ, Kategorie, Type, Genre, Catégorie, Nature
Due: Fällig, Fällig am, Fälligkeit, Frist, Termin, Abgabe, Abgabetermin, Liefertermin, Bis, Échéance, Date limite, Date d'échéance, Pour le, À rendre
To: An, Empfänger, Empfängerin, Kunde, Für, Destinataire, À, Pour
From Department: Von, Von Abteilung, Aus Abteilung, De, Du département
To Department: An Abteilung, Au département, Vers département
Sent: Gesendet, Gesendet am, Verschickt, Verschickt am, Geliefert am, Envoyé, Envoyé le, Livré le
Assets: Elemente, Objekte, Éléments, Objets
Specification: Spezifikation, Vorgaben, Anforderungen, Spécification, Spécifications, Exigences
Approval: Freigabe, Abnahme, Genehmigung, Validation, Approbation
Approver: Freigeber, Freigabe durch, Abnahme durch, Genehmigt von, Person, Personen, Valideur, Approuvé par
Mode: Modus, Verfahren
Version: Fassung
Decided: Entschieden, Entschieden am, Freigegeben am, Décidé, Décidé le, Validé le
Decided By: Entschieden von, Décidé par
Note: Notiz, Notizen, Bemerkung, Bemerkungen, Anmerkung, Anmerkungen, Kommentar, Kommentare, Remarque, Remarques, Commentaire, Commentaires
Day: Drehtag, Drehtage, DT, Tag, Jour, Jour de tournage, JT
Date: Datum, Drehdatum, Date de tournage
General Call: Arbeitsbeginn, Drehbeginn, Beginn, Call, Teamcall, Abfahrt, Appel, Convocation, Heure d'appel, Début, PAT
Day Status: Tagesstatus, Statut du jour
Location: Drehort, Drehorte, Ort, Lieu, Lieux, Lieu de tournage
Day Notes: Day Note, Remarks, Comments, Tagesnotizen, Notiz, Notizen, Hinweise, Bemerkung, Bemerkungen, Anmerkung, Anmerkungen, Kommentar, Kommentare, Notes du jour, Remarque, Remarques, Commentaire, Commentaires, Observations
Wrap: Drehschluss, Arbeitsende, Ende, Feierabend, Fin, Fin de journée
Individual Calls: Einzelcalls, Abholzeiten, Convocations
Scenes: Szene, Szenen, Szenennummer, Sz, Bild, Bilder, Bildnummer, Scène, Scènes, N° de scène, Numéro de scène, Séquence, Séquences, N° de séquence, Séq, Seq
Scene: Szene, Szenennummer, Sz, Bild, Bildnummer, Scène, N° de scène, Séquence, N° de séquence
Episode: Folge, Episode, Épisode, Ep
Slugline: Szenenüberschrift, Szenenkopf, Überschrift, Bildüberschrift, Intitulé de scène, En-tête
Int/Ext: I/A, Innen/Außen, Innen/Aussen, IA, Int/Aus, Intérieur/Extérieur, Effet I/E
Set: Motiv, Motive, Set, Décor, Décors, Schauplatz
Time of Day: Tageszeit, T/N, Tag/Nacht, Stimmung, Lichtstimmung, J/N, Jour/Nuit, Effet, Moment
Synopsis: Inhalt, Zusammenfassung, Kurzinhalt, Beschreibung, Résumé, Description, Action
Pages: Seiten, Seite, Seitenzahl, Länge, Achtel, Nb de pages, Nombre de pages, Longueur, Huitièmes
Script Day: Spieltag, Handlungstag, Story-Tag, Jour de récit, Jour scénario, Jour de jeu
Revision: Revision, Farbe, Révision, Couleur
Asset: Objekt, Gegenstand, Objet
Element: Element, Élément
Category: Kategorie, Catégorie
Character: Rolle, Rollen, Rollenname, Figur, Figuren, Personnage, Personnages, Rôle, Rôles
Cast Number: Rollennummer, Rollen-Nr, Besetzungsnummer, Numéro de rôle, N° de rôle
Performer: Schauspieler, Schauspielerin, Schauspieler/in, Darsteller, Darstellerin, Besetzung, Acteur, Actrice, Comédien, Comédienne, Interprète
Cast: Darsteller, Besetzung, Rollennummern, Comédiens, Acteurs, Distribution
PO No: Bestellung, Bestellnummer, Bestell-Nr, Auftrag, Auftragsnummer, Bon de commande, N° de commande, Commande, BC
Description: Beschreibung, Bezeichnung, Leistung, Artikel, Désignation, Libellé, Objet
Account: Konto, Kontonummer, Kto, Sachkonto, Kostenstelle, Compte, N° de compte, Poste, Poste budgétaire
Amount: Betrag, Summe, Gesamt, Nettobetrag, Netto, Preis, Kosten, Wert, Montant, Montant HT, Prix, Coût
Currency: Währung, Devise, Monnaie
Budget: Kalkulation, Budget, Plan, Devis
Week: Woche, Kalenderwoche, Berichtswoche, Stichtag, Semaine, Semaine du
Phone: Telefon, Telefonnummer, Tel, Handy, Mobil, Mobilnummer, Mobiltelefon, Téléphone, Portable
Email: E-Mail, E-Mail-Adresse, Mail, Courriel, Adresse e-mail
Address: Adresse, Anschrift, Straße, Strasse, Rue
City: Ort, Stadt, Wohnort, Ville
Zip: PLZ, Postleitzahl, Code postal
Country: Land, Pays
Agent: Agentur, Agence, Agent artistique
Date of Birth: Geburtsdatum, Geburtstag, Date de naissance
Contact: Kontakt, Ansprechpartner, Ansprechpartnerin`
  .split("\n")
  .map((line) => line.split(": ") as [english: string, others: string]); // each line has the mark once

/** German without umlauts writes ae, oe and ue. */
const spelledOut = (word: string): string => word.replace(/ä/gi, "ae").replace(/ö/gi, "oe").replace(/ü/gi, "ue");

/** The keys of foreign headings, each with the keys of the English headings that it may mean, the likeliest first. */
const meanings = new Map<string, string[]>();
for (const [english, others] of headings)
  for (const word of others.split(", "))
    for (const key of new Set([word, spelledOut(word)].map(headerKey))) listAt(meanings, key).push(headerKey(english));

/** Adds to the keys of English headings, each with what it means, those of the foreign ones that mean the same. */
export function withForeign<T>(known: ReadonlyMap<string, T>): Map<string, T> {
  const all = new Map(known);
  for (const [key, english] of meanings) {
    const meaning = english.find((one) => known.has(one));
    if (meaning !== undefined && !known.has(key)) all.set(key, known.get(meaning) as T); // it has it
  }
  return all;
}
